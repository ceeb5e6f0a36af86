import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../test/runs.ts'
import { DEFAULT_POLICY } from '../core/policy/read-policy.ts'
import type { Profile } from '../core/run/profile.ts'
import type { CallError } from '../core/run/tool-call.ts'
import { NO_USAGE } from '../core/run/usage/usage.ts'
import type { Json, JsonObject } from '../core/text/json.ts'
import type { AfterToolExecute, HeldCall, HookView } from '../ports/agent/plugin.ts'
import { type RedactSecretsOptions, redactSecrets } from './redact-secrets.ts'

const profile: Profile = {
  agent: 'test',
  agent_file: null,
  model: null,
  instructions: null,
  tools: null,
  policy: DEFAULT_POLICY,
  pause_on: [],
  hold_scope: 'batch',
  max_concurrent_calls: 1,
  due: { seconds: null },
  deciders: null,
  groups: {},
  approval_answers: 'tolerant',
  stop: [],
  project: null,
  workdir: '/',
}

const view: HookView = {
  run_id: 'run_1',
  thread_id: 'th_1',
  profile,
  steps: 1,
  usage: NO_USAGE,
  messages: [],
  calls: [],
  state: null,
  signal: AbortSignal.abort(),
}

const call: HeldCall = {
  id: 'call_1',
  name: 'work',
  arguments: {},
  final_arguments: {},
  status: 'running',
  attempt: 1,
  allowed: true,
  grant_id: null,
  hold_id: null,
  output: null,
  error: null,
  tool: {
    name: 'work',
    description: '',
    inputSchema: {},
    idempotent: false,
    destructive: false,
    needsApproval: () => null,
    validate: value => ({ ok: true, value }),
    execute: async () => null,
  },
}

type Result = AfterToolExecute | undefined | Promise<unknown>

function hook(output: Json, error: CallError | null, options: RedactSecretsOptions = {}): Result {
  const { afterToolExecute } = redactSecrets(options).hooks
  return afterToolExecute?.(view, call, { output, error }) as Result
}

/** What is journalled of a result. */
function redacted(output: Json, options: RedactSecretsOptions = {}): Json {
  const result = hook(output, null, options) as AfterToolExecute
  return result.setResult === undefined ? output : (result.setResult as Json)
}

/** Put together here, so that no scanner takes this file for a leak. */
const aws = `AKIA${'IOSFODNN7EXAMPLE'}`
const github = `ghp_${'a1B2'.repeat(9)}`
const jwt = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxIn0'}.${'c2ln'.repeat(8)}`
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${`${'MIIEabc+/0'.repeat(6)}\n`.repeat(3)}AA==\n-----END RSA PRIVATE KEY-----`
const escapedPem = pem.replaceAll('\n', '\\n')
const half = `-----BEGIN PRIVATE KEY-----\n${`${'MIIEabc+/0'.repeat(6)}\n`.repeat(2)}`

const SECRETS: readonly (readonly [text: string, redacted: string])[] = [
  [aws, '[redacted]'],
  [`id${aws}, key ASIA${'0'.repeat(16)}.`, 'id[redacted], key [redacted].'],
  [`dop_v1_${'0a'.repeat(32)}`, '[redacted]'],
  [github, '[redacted]'],
  [`token:\\n${github}\\n`, 'token:\\n[redacted]\\n'],
  [`github_pat_${'11AAAAAAA0'.repeat(3)}_abc`, '[redacted]'],
  [`ghs_${'a'.repeat(36)} and gho_${'b'.repeat(40)}`, '[redacted] and [redacted]'],
  [`glpat-${'x-_9'.repeat(5)}`, '[redacted]'],
  [`AIza${'Sy_-0'.repeat(7)}`, '[redacted]'],
  [`hf_${'aB3'.repeat(10)}`, '[redacted]'],
  [`npm_${'aB3x'.repeat(9)}`, '[redacted]'],
  [`pypi-AgE${'aB3_-'.repeat(12)}`, '[redacted]'],
  [`SG.${'a'.repeat(22)}.${'b'.repeat(43)}`, '[redacted]'],
  [`sk-ant-${'api03-'}${'aB3_-'.repeat(10)}`, '[redacted]'],
  [`sk-proj-${'aB3_-'.repeat(10)}`, '[redacted]'],
  [`key=sk-${'aB3x'.repeat(12)}`, 'key=[redacted]'],
  [`line\\nsk-${'aB3x'.repeat(12)}`, 'line\\n[redacted]'],
  [`sk_live_${'aB3x'.repeat(6)} rk_test_${'aB3x'.repeat(6)}`, '[redacted] [redacted]'],
  [`xoxb-${'1'.repeat(12)}-${'a'.repeat(24)}`, '[redacted]'],
  [`xoxe.xoxp-1-${'a'.repeat(24)}`, '[redacted]'],
  [`xapp-1-A${'0'.repeat(10)}-${'1'.repeat(13)}-abc`, '[redacted]'],
  [
    `https://hooks.slack.com/services/T${'0'.repeat(8)}/B${'0'.repeat(8)}/abc`,
    'https://hooks.slack.com/services/[redacted]',
  ],
  [`cookie a=${jwt}; b=1`, 'cookie a=[redacted]; b=1'],
  [`x${jwt}`, 'x[redacted]'],
  [`before\n${pem}\nafter`, 'before\n[redacted]\nafter'],
  [`{"private": "${escapedPem}\\n"}`, '{"private": "[redacted]\\n"}'],
  [pem.replaceAll('RSA PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'), '[redacted]'],
  [pem.replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n'), '[redacted]'],
  [`$ head -3 key.pem\n${half}$ echo done`, '$ head -3 key.pem\n[redacted]\n$ echo done'],
  ['postgres://app:hunter2@db:5432/app?a=b', 'postgres://app:[redacted]@db:5432/app?a=b'],
  ['redis://:p@ss#w?rd@cache/0', 'redis://:[redacted]@cache/0'],
  ['password=hunter2', 'password=[redacted]'],
  ['host=db password=hunter2 user=app', 'host=db password=[redacted] user=app'],
  ['?user=a&password=hunter2&x=1', '?user=a&password=[redacted]&x=1'],
  ['password=a\\b\\nnext', 'password=[redacted]\\nnext'],
  ['DB_PASSWORD=hunter2\nexport API_KEY="a b"', 'DB_PASSWORD=[redacted]\nexport API_KEY="[redacted]"'],
  [`AWS_SECRET_ACCESS_KEY=${'wJalrXUtnFEMI/K7MDENG'}`, 'AWS_SECRET_ACCESS_KEY=[redacted]'],
  ['{"password": "hun\\"ter2", "a": 1}', '{"password": "[redacted]", "a": 1}'],
  ['{\\"password\\": \\"hunter2\\", \\"a\\": 1}', '{\\"password\\": \\"[redacted]\\", \\"a\\": 1}'],
  [`{clientSecret: 'it\\'s', b: 1}`, `{clientSecret: '[redacted]', b: 1}`],
  ['"password"=>"hunter2"', '"password"=>"[redacted]"'],
  ['password := "hunter2"', 'password := "[redacted]"'],
  ['{"password": "cut o', '{"password": "[redacted]'],
  ['<password>hunter2</password>', '<password>[redacted]</password>'],
  ['db:\n  password: hunter2\n  port: 5432', 'db:\n  password: [redacted]\n  port: 5432'],
  ['Authorization: Bearer abc', 'Authorization: Bearer [redacted]'],
  ['{"Authorization": "Basic YTpi"}', '{"Authorization": "Basic [redacted]"}'],
  [`curl -H 'authorization: token abc' x`, `curl -H 'authorization: token [redacted]' x`],
  ['{\\"authorization\\":\\"Bearer abc\\"}', '{\\"authorization\\":\\"Bearer [redacted]\\"}'],
  [`bearer ${'aB3x'.repeat(5)}`, 'bearer [redacted]'],
]

test.each(SECRETS)('%j becomes %j', (text, expected) => {
  expect(redacted(text)).toBe(expected)
})

const HARMLESS: readonly Json[] = [
  '',
  'AKIA, ghp_ and sk- begin secrets',
  'task-0123456789abcdef0123456789abcdef',
  'task-project-management-of-risk-assessment',
  'sk-or-a-word-after-another-word-and-more',
  'commit 0123456789abcdef0123456789abcdef01234567',
  'eyJhIjoxfQ.not.a.token',
  'eyJhIjoxfQ==',
  'text.includes("-----BEGIN PRIVATE KEY-----") || text.includes("-----BEGIN")',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0B\n-----END CERTIFICATE-----',
  'https://example.org:8080/@scope/package and http://localhost:3000?to=a@b',
  'git@github.com:owner/repository.git, https://user@example.org/',
  'password: string; passwordHash: string',
  'Enter your password: it must be long',
  'password = readPassword(); if (password === other) return',
  'next_token=abc max_tokens=100 secret_name: db1 public_key=abc keyboard=qwerty',
  'Authorization: required. Bearer tokens are issued by the server',
  'PWD=/home/ana',
  'a bearer of very-long-hyphenated-expectations',
  { password: '', secret: null, api_key: true, passwords: ['a'], token: 'page-2', password_hint: 'the usual' },
  { a: [1, 'two', { three: null }], b: {}, '': [] },
  7,
  null,
]

test.each(HARMLESS)('%j is left as it is', output => {
  expect(hook(output, null)).toEqual({})
})

test('what is left as it is inside of a redacted result is the same object', () => {
  const kept = { a: [1, { b: 'c' }] }
  const result = redacted({ kept, gone: aws }) as JsonObject
  expect(result).toEqual({ kept, gone: '[redacted]' })
  expect(result['kept']).toBe(kept)
})

test('secrets are redacted at any depth, in lists and in the names of fields', () => {
  let output: Json = [`${aws}!`]
  let expected: Json = ['[redacted]!']
  for (let level = 0; level < 100; level += 1) {
    output = level % 2 ? [output] : { [github]: output }
    expected = level % 2 ? [expected] : { '[redacted]': expected }
  }
  expect(redacted(output)).toEqual(expected)
})

test('a field with a secret name loses its value, whatever that looks like', () => {
  const output = { DB_PASSWORD: 'x', clientSecret: 7, 'x-api-key': 'a b', authorization: 'Bearer a', user: 'ana' }
  const mark = '[redacted]'
  expect(redacted(output)).toEqual({
    DB_PASSWORD: mark,
    clientSecret: mark,
    'x-api-key': mark,
    authorization: mark,
    user: 'ana',
  })
  expect(redacted({ secret: { a: aws, b: 1 } })).toEqual({ secret: { a: mark, b: 1 } })
})

test('fields whose names are both redacted stay two', () => {
  const output = { [github]: 1, [aws]: 2, '[redacted] 2': 3 }
  expect(redacted(output)).toEqual({ '[redacted]': 1, '[redacted] 2': 2, '[redacted] 2 2': 3 })
})

test('a field named __proto__ stays a field', () => {
  const output = JSON.parse(`{"__proto__": {"a": "${aws}"}}`) as Json
  expect(JSON.stringify(redacted(output))).toBe('{"__proto__":{"a":"[redacted]"}}')
})

test('secrets that overlap go together', () => {
  expect(redacted(`https://u:${github}@h password=${aws}`)).toBe('https://u:[redacted]@h password=[redacted]')
  expect(redacted(`ghp_${'a'.repeat(36)}sk-ant-${'aB3_-'.repeat(10)}!`)).toBe('[redacted]!')
})

test('the message of an error is redacted, and its code', () => {
  const error = { code: `DENIED_${aws}`, message: `401 for https://u:hunter2@example.org with ${aws}` }
  expect(hook(null, error)).toEqual({
    setError: { code: 'DENIED_[redacted]', message: '401 for https://u:[redacted]@example.org with [redacted]' },
  })
})

test('an error without secrets is left as it is', () => {
  expect(hook(null, { code: 'TOOL_CALL_FAILED', message: 'no such file' })).toEqual({})
})

test('values of the environment are redacted where the names of their variables tell of a secret', () => {
  const env = {
    MY_TOKEN: 'correct horse',
    apiKey: ' "quoted" value\n',
    PGPASSWORD: 'a/b+c d&e',
    SHORT_SECRET: 'seven77',
    KEYBOARD: 'standard',
    SSH_KEY_FILE: '/home/ana/.ssh/id_rsa',
    HOME_DIRECTORY: '/home/ana',
    NO_TOKEN: undefined,
  }
  const output = [
    'a correct horse!',
    'x"quoted" value',
    '{"value":"\\"quoted\\" value"}',
    '?p=a%2Fb%2Bc%20d%26e',
    'seven77 standard /home/ana/.ssh/id_rsa /home/ana',
  ]
  expect(redacted(output, { env })).toEqual([
    'a [redacted]!',
    'x[redacted]',
    '{"value":"[redacted]"}',
    '?p=[redacted]',
    'seven77 standard /home/ana/.ssh/id_rsa /home/ana',
  ])
})

test('a value of the environment that is part of the replacement is not looked for in it', () => {
  expect(redacted(`${aws} is redacted`, { env: { MY_KEY: 'redacted' } })).toBe('[redacted] is [redacted]')
})

test('patterns of one’s own are used beside the others, of which a group named secret says what to replace', () => {
  const patterns = [/acme-\d+/i, /pin (?<secret>\d{4})/y]
  expect(redacted(`ACME-12 acme-3 pin 1234 ${aws}`, { patterns })).toBe(
    '[redacted] [redacted] pin [redacted] [redacted]',
  )
})

test('a pattern that matches nothing at all, everywhere, changes nothing', () => {
  expect(hook('abc', null, { patterns: [/x*/, /(?<secret>)a/, /b(?<secret>q)?(?=z)/] })).toEqual({})
})

test('a pattern that would match the replacement ends', () => {
  expect(redacted('bed', { patterns: [/e/] })).toBe('b[redacted]d')
  expect(redacted('aab', { patterns: [/ab/], replacement: 'aa' })).toBe('aa')
})

test('the replacement can be chosen', () => {
  expect(redacted({ a: `${aws}.`, password: 'x' }, { replacement: '***' })).toEqual({ a: '***.', password: '***' })
})

test.each<readonly [RedactSecretsOptions, string]>([
  [{ replacement: '' }, 'its replacement must be a text'],
  [{ replacement: 7 as unknown as string }, 'its replacement must be a text'],
  [{ patterns: ['a'] as unknown as RegExp[] }, 'patterns must be a list of regular expressions'],
  [{ patterns: /a/ as unknown as RegExp[] }, 'patterns must be a list of regular expressions'],
])('%o is refused', (options, problem) => {
  expect(() => redactSecrets(options)).toThrow(
    expect.objectContaining({
      code: 'invalid_plugin',
      message: `The redaction of secrets cannot be used: ${problem}.`,
    }),
  )
})

const of = (letters: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength, maxLength })
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = UPPER.toLowerCase()
const DIGITS = '0123456789'
const WORD = `${UPPER}${LOWER}${DIGITS}_-`
const alnum = (minLength: number, maxLength: number = minLength) =>
  of(`${UPPER}${LOWER}${DIGITS}`, minLength, maxLength)

const lines = fc.array(of(`${UPPER}${LOWER}${DIGITS}+/`, 64), { minLength: 1, maxLength: 4 })
const segment = of(WORD, 8, 60).map(text => `eyJ${text}`)

/** Secrets of each shape. */
const secret: fc.Arbitrary<string> = fc.oneof(
  of(`${UPPER}${DIGITS}`, 16).map(text => `AKIA${text}`),
  fc.tuple(fc.constantFrom(...'opsur'), alnum(36, 80)).map(([kind, text]) => `gh${kind}_${text}`),
  of(WORD, 40, 120).map(text => `sk-ant-api03-${text}`),
  of(WORD, 40, 120).map(text => `sk-proj-0${text}`),
  alnum(48).map(text => `sk-${text}`),
  fc.tuple(of(DIGITS, 10, 13), alnum(24)).map(parts => `xoxb-${parts.join('-')}`),
  fc.tuple(segment, segment, of(WORD, 8, 60)).map(parts => parts.join('.')),
  lines.map(rows => `-----BEGIN PRIVATE KEY-----\n${rows.join('\n')}\n-----END PRIVATE KEY-----`),
)

const env = { DEPLOY_TOKEN: 'correct horse', API_KEY: 'a"b\\c/d e', PASSWORD: '-----------' }

/** What tears texts apart, and what almost is a secret or becomes one beside something else. */
const piece: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.constantFrom(' ', '\n', '"', "'", '\\', '\\n', ',', ';', '&', '@', '/', '<', '[', ']', '-----', '[redacted]'),
  fc.constantFrom('password', 'password=', 'secret: ', '"api_key": "', '\\"token_secret\\": \\"', '<password>'),
  fc.constantFrom('sk-', 'sk-ant-', 'ghp_', 'AKIA', 'eyJ', 'eyJa.eyJ', '://u:', 'Authorization: Bearer ', 'bearer '),
  fc.constantFrom('-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'correct ', 'horse'),
  alnum(1, 40),
)

/** Where a word cannot go on. */
const gap = fc.constantFrom(' ', '\n', '"', '(', ',', '=', ': ', '/', '\\n', '[redacted]')

function text(hidden: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const whole = fc.tuple(gap, hidden, gap).map(parts => parts.join(''))
  return fc.array(fc.oneof(piece, whole), { maxLength: 8 }).map(parts => parts.join(''))
}

/** JSON with secrets anywhere: whole or within texts, as values and as names. */
function json(hidden: fc.Arbitrary<string>): fc.Arbitrary<Json> {
  const { value } = fc.letrec<{ value: Json }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(text(hidden), hidden, fc.integer(), fc.constant(null), fc.boolean()),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(text(hidden), hidden), tie('value'), { maxKeys: 4 }),
    ),
  }))
  return value
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)])
}

test('a secret never survives, wherever in a result it is', () => {
  const pools = fc.array(fc.oneof(secret, fc.constantFrom(...Object.values(env))), { minLength: 1, maxLength: 4 })
  const cases = pools.chain(pool => fc.tuple(fc.constant(pool), json(fc.constantFrom(...pool))))
  fc.assert(
    fc.property(cases, ([pool, output]) => {
      const left = textsIn(redacted(output, { env }))
      expect(pool.filter(each => left.some(inner => inner.includes(each)))).toEqual([])
    }),
    { numRuns: runs(2_000) },
  )
})

test('a secret never survives in the message of an error', () => {
  const cases = secret.chain(hidden => fc.tuple(fc.constant(hidden), text(fc.constant(hidden))))
  fc.assert(
    fc.property(cases, ([hidden, message]) => {
      const { setError } = hook(null, { code: 'TOOL_CALL_FAILED', message }) as AfterToolExecute
      expect((setError?.message ?? message).includes(hidden)).toBe(false)
    }),
    { numRuns: runs(1_000) },
  )
})

test('what was redacted is left as it is when it is redacted again', () => {
  fc.assert(
    fc.property(json(secret), output => {
      expect(hook(redacted(output, { env }), null, { env })).toEqual({})
    }),
    { numRuns: runs(2_000) },
  )
})

test('only texts and numbers change: what is redacted has the shape that it had', () => {
  const shape = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(shape)
    if (typeof value === 'number') return 'string'
    if (typeof value !== 'object' || value === null) return typeof value
    return Object.values(value).map(shape)
  }
  fc.assert(
    fc.property(json(secret), output => {
      expect(JSON.parse(JSON.stringify(shape(redacted(output))))).toEqual(shape(output))
    }),
  )
})

test('JSON without secrets is left as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue() as fc.Arbitrary<Json>, output => {
      expect(hook(output, null, { env })).toEqual({})
    }),
    { numRuns: runs(1_000) },
  )
})

/** Beginnings of secrets and what follows them, over and over: a pattern that goes back and forth would not end. */
const ADVERSE: readonly string[] = [
  'a',
  ' ',
  '\\',
  '-',
  '@',
  'eyJ',
  'eyJa.',
  '.eyJ',
  '-----',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\n\\n ',
  `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(16)} `,
  '- ',
  '://',
  '://a:',
  '://a:b ',
  'password',
  'password="',
  "password: '",
  'password=\\"',
  'password:   \\\\\\\\"',
  'password>a',
  'secret_',
  'authorization: bearer ',
  'bearer a',
  'sk-',
  'sk-ant-a',
  'ghp_a',
  'AKIAA',
  'xoxb-a ',
]

test.each(ADVERSE)('400,000 characters of %j are read through', part => {
  for (const begin of ['', '://a:', '-----BEGIN PRIVATE KEY-----']) {
    const output = begin + part.repeat(Math.ceil(400_000 / part.length))
    // In a context of its own, so that a pattern that does not end fails here, and not by hanging.
    const run = () => runInNewContext('redacted(output)', { redacted, output }, { timeout: 10_000 })
    expect(typeof run()).toBe('string')
  }
})
