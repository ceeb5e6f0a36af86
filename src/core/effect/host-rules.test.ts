import { expect, test } from 'vitest'
import { spellHost } from './host-name.ts'
import { type HostRule, hostRuleText, reachOf, readHostRule } from './host-rules.ts'

function rules(...texts: string[]): HostRule[] {
  return texts.map(text => {
    const rule = readHostRule(text)
    if ('problem' in rule) throw new Error(`${text} ${rule.problem}`)
    return rule
  })
}

test.each([
  ['EXAMPLE.com', 'example.com'],
  ['example.com.', 'example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['example。com', 'example.com'],
  ['ｅｘａｍｐｌｅ.com', 'example.com'],
  ['exa\u00admple.com', 'example.com'],
  ['_sip.example.com', '_sip.example.com'],
  ['localhost', 'localhost'],
  ['2130706433', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['017700000001', '127.0.0.1'],
  ['0177.0.0.01', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['１２７.0.0.1', '127.0.0.1'],
  ['0', '0.0.0.0'],
  ['[::ffff:127.0.0.1]', '127.0.0.1'],
  ['::ffff:7f00:1', '127.0.0.1'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['[::1]', '::1'],
  ['2001:DB8::0:1', '2001:db8::1'],
  ['[fe80::1]', 'fe80::1'],
])('the host %s has the one spelling %s', (text, spelled) => {
  expect(spellHost(text)).toBe(spelled)
})

test.each([
  '',
  '.',
  '..',
  'a..b',
  '.example.com',
  'example.com..',
  'exa mple.com',
  'example.com\n',
  'example.com\0.evil.example',
  'a/b',
  'a\\b',
  'a@b',
  'user:pass@b',
  'a%2eb',
  'a％2eb',
  'a?b',
  '256.256.256.256',
  '1.2.3.4.5',
  'example.0x1',
  '[::1',
  '[::1]x',
  '[fe80::1%eth0]',
  ':::',
  '1:2',
  '[127.0.0.1]',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(130)}com`,
  '*.example.com',
  'a,b',
])('%j names no host', text => {
  expect(spellHost(text)).toBeNull()
})

test('a spelling stays as it is when it is spelled again', () => {
  for (const text of ['EXAMPLE.com.', 'bücher.example', '0x7f.1', '[::ffff:1.2.3.4]', '[2001:DB8::1]']) {
    const once = spellHost(text)
    expect(spellHost(once ?? '')).toBe(once)
  }
})

test.each([
  ['example.com', 'example.com', 443, 'permitted'],
  ['example.com', 'example.com', 80, 'permitted'],
  ['example.com', 'example.com', 8080, 'unknown'],
  ['example.com', 'www.example.com', 443, 'unknown'],
  ['example.com', 'example.com.evil.example', 443, 'unknown'],
  ['example.com', 'notexample.com', 443, 'unknown'],
  ['Example.COM.', 'eXample.com.', 443, 'permitted'],
  ['example.com:22', 'example.com', 22, 'permitted'],
  ['example.com:22', 'example.com', 443, 'unknown'],
  ['example.com:*', 'example.com', 9, 'permitted'],
  ['*.example.com', 'a.example.com', 443, 'permitted'],
  ['*.example.com', 'a.b.example.com', 443, 'permitted'],
  ['*.example.com', 'example.com', 443, 'unknown'],
  ['*.example.com', 'badexample.com', 443, 'unknown'],
  ['*.example.com:*', 'a.example.com', 5432, 'permitted'],
  ['*.bücher.example', 'www.xn--bcher-kva.example', 443, 'permitted'],
  ['127.0.0.1:8080', '2130706433', 8080, 'permitted'],
  ['127.0.0.1:8080', '::ffff:127.0.0.1', 8080, 'permitted'],
  ['127.0.0.1:8080', 'localhost', 8080, 'unknown'],
  ['[::1]:80', '[0:0::1]', 80, 'permitted'],
  ['[::1]:80', '::1', 443, 'unknown'],
  ['[::ffff:10.0.0.1]', '10.0.0.1', 80, 'permitted'],
  ['0x7f.1:*', '127.0.0.1', 1, 'permitted'],
  ['!example.com', 'example.com', 443, 'refused'],
  ['!example.com', 'example.com', 22, 'refused'],
  ['!example.com:22', 'example.com', 443, 'unknown'],
  ['!*.example.com', 'a.example.com', 22, 'refused'],
  ['!*.example.com', 'example.com', 22, 'unknown'],
  ['example.com', 'exa mple.com', 443, 'refused'],
  ['example.com', 'example.com%2f', 443, 'refused'],
] as const)('under %s, %s:%i is %s', (rule, host, port, reach) => {
  expect(reachOf(rules(rule), host, port)).toBe(reach)
})

test('a refusal wins, wherever it is written', () => {
  for (const list of [rules('*.example.com', '!a.example.com'), rules('!a.example.com', '*.example.com')]) {
    expect(reachOf(list, 'a.example.com', 443)).toBe('refused')
    expect(reachOf(list, 'b.example.com', 443)).toBe('permitted')
  }
  expect(reachOf([], 'example.com', 443)).toBe('unknown')
})

test.each([
  ['https://example.com', 'not a URL'],
  ['example.com/path', 'no path'],
  ['me@example.com', 'no user'],
  ['::1', 'in brackets'],
  ['::1:80', 'in brackets'],
  ['*', '"*" for all hosts is not possible'],
  ['*:443', '"*" for all hosts is not possible'],
  ['a*.example.com', 'only at its beginning'],
  ['*.*.example.com', 'only at its beginning'],
  ['*example.com', 'only at its beginning'],
  ['*.', 'must name a host'],
  ['', 'must name a host'],
  ['!', 'must name a host'],
  ['!!a', '"!a" is none'],
  ['! a', 'is none'],
  [' example.com', 'is none'],
  ['a b', 'is none'],
  ['example.com:', 'from 1 to 65535'],
  ['example.com:0', 'from 1 to 65535'],
  ['example.com:65536', 'from 1 to 65535'],
  ['example.com:080', 'from 1 to 65535'],
  ['example.com:http', 'from 1 to 65535'],
  ['example.com:80-90', 'from 1 to 65535'],
  ['*.0.0.1', 'not the address 0.0.0.1'],
  ['*.[::1]', 'not the address ::1'],
  ['[::1', 'in brackets'],
  ['[::1]80', 'in brackets'],
  ['999.1.1.1', 'is none'],
])('the rule %j is refused: %s', (text, problem) => {
  expect(readHostRule(text)).toEqual({ problem: expect.stringContaining(problem) })
})

test.each([
  ['EXAMPLE.com', 'example.com'],
  ['*.Example.com:*', '*.example.com:*'],
  ['!example.com:*', '!example.com'],
  ['!example.com:22', '!example.com:22'],
  ['[0::1]:80', '[::1]:80'],
  ['0x7f.1', '127.0.0.1'],
])('the rule %s is shown as %s, and read back as the same rule', (text, shown) => {
  const [rule] = rules(text)
  expect(hostRuleText(rule as HostRule)).toBe(shown)
  expect(rules(shown)).toEqual([rule])
})
