import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Inline, inlineOf } from './inline.ts'
import { type MarkdownBlock, markdownOf } from './markdown.ts'

/** A tree in short: `strong(a)`, `link(a → url)`. */
function short(nodes: readonly Inline[]): string {
  return nodes
    .map(node => {
      if (node.kind === 'text') return node.text
      if (node.kind === 'code') return `code(${node.text})`
      return node.kind === 'link' ? `link(${short(node.of)} → ${node.url})` : `${node.kind}(${short(node.of)})`
    })
    .join('')
}

function shortBlock(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'heading':
      return `h${block.level}: ${short(block.of)}`
    case 'paragraph':
      return `p: ${short(block.of)}`
    case 'code':
      return `code ${block.info}: ${block.text}`
    case 'quote':
      return `quote[${block.of.map(shortBlock).join('; ')}]`
    case 'list':
      return `list[${block.items.map(item => `${item.marker} ${item.of.map(shortBlock).join('; ')}`).join(' / ')}]`
    case 'table':
      return `table[${[block.head, ...block.rows].map(row => row.map(short).join(' | ')).join(' / ')}]`
    case 'rule':
      return 'rule'
  }
}

const shown = (text: string) => markdownOf(text).map(shortBlock)

test.each([
  [
    '**bold**, *soft*, _soft_, ~~gone~~, `code`',
    'strong(bold), emphasis(soft), emphasis(soft), struck(gone), code(code)',
  ],
  ['***both***, **a *b* c**, *a **b***', 'strong(emphasis(both)), strong(a emphasis(b) c), emphasis(a strong(b))'],
  ['这是**重点**内容', '这是strong(重点)内容'],
  ['`**not bold**` and ``a ` b``', 'code(**not bold**) and code(a ` b)'],
  [
    '[the docs](https://a.example/b_(c)) and [a **b**](x)',
    'link(the docs → https://a.example/b_(c)) and link(a strong(b) → x)',
  ],
  ['\\*as it is\\*', '*as it is*'],
])('words of %j', (text, tree) => {
  expect(short(inlineOf(text))).toBe(tree)
})

test.each([
  'rm *.log and *.tmp',
  'src/**/*.ts, lib/**/*.js',
  '**/*.ts or **/*.js',
  '2*3*4 and a_b_c and __init__',
  'f(*args, **kwargs)',
  '**not closed and [no link] (here) and [a][b]',
  '![image] stays ](',
  '<b>bold</b> <script>alert(1)</script> &#x202e; <!-- hidden -->',
  'https://a.example and <https://a.example>',
  '[a](https://a.example "a title that hides")',
  '[1], [2], [x] done',
  '`never closed',
])('M1: %j is no Markdown, and stays as it is', text => {
  expect(inlineOf(text)).toEqual([{ kind: 'text', text }])
})

test('M1: the address of an image stays in view', () => {
  expect(short(inlineOf('![a](https://a.example/b.png)'))).toBe('![a](https://a.example/b.png)')
})

test('blocks are read as agents write them', () => {
  expect(shown('# Plan\nFirst this\nthen that\n\n---\n> said\n> twice\n\n#no heading')).toEqual([
    'h1: Plan',
    'p: First this\nthen that',
    'rule',
    'quote[p: said\ntwice]',
    'p: #no heading',
  ])
  expect(shown('Steps:\n- one\n  more\n  - deep\n- two\n\n- three\nend? yes')).toEqual([
    'p: Steps:',
    'list[- p: one\nmore; list[- p: deep] / - p: two / - p: three\nend? yes]',
  ])
  expect(shown('3. a\n5. b\n   - c\n\n   d\n\nIn\n1984. x')).toEqual([
    'list[3. p: a / 5. p: b; list[- p: c]; p: d]',
    'p: In\n1984. x',
  ])
  expect(shown('1. a\n  - b\n2. c')).toEqual(['list[1. p: a; list[- p: b] / 2. p: c]'])
  expect(shown('```sh title=x\n# a\n\n  b\n```\nafter\n~~~\nopen')).toEqual([
    'code sh title=x: # a\n\n  b',
    'p: after',
    'code : open',
  ])
})

test('M3: a table keeps cells beyond its head, and needs its line of dashes', () => {
  expect(shown('Prices:\n| a | b |\n|---|:-:|\n| 1 | **2** | 3 |\n| x \\| y |\n\nno | table')).toEqual([
    'p: Prices:',
    'table[a | b / 1 | strong(2) | 3 / x | y]',
    'p: no | table',
  ])
})

/** All that is drawn, in order. */
function drawn(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'rule':
      return ''
    case 'code':
      return block.info + block.text
    case 'table':
      return [block.head, ...block.rows].flat().map(words).join('')
    case 'list':
      return block.items.map(({ marker, of }) => marker + of.map(drawn).join('')).join('')
    case 'quote':
      return block.of.map(drawn).join('')
    default:
      return words(block.of)
  }
}

function words(of: readonly Inline[]): string {
  return of.map(node => ('text' in node ? node.text : words(node.of) + (node.kind === 'link' ? node.url : ''))).join('')
}

test('M1, P9: whatever the text, each letter and digit of it is drawn, in order, and none is added', () => {
  const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}\p{Cf}\p{M}]/gu, '')
  const piece = fc.constantFrom(
    ...[
      '**',
      '*',
      '_',
      '`',
      '```',
      '~~',
      '[',
      '](',
      ')',
      '](Q)',
      '!',
      '\\',
      '|',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '> ',
      '# ',
    ],
    ...[
      '---',
      '|---|---|',
      '    ',
      '\t',
      ' ',
      'Q',
      'Zq',
      '7',
      '\u202e',
      '\u200b',
      '<Q>',
      '\n  - ',
      '\n| Q | Z |\n|-|-|\n',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
      const text = pieces.join('')
      expect(letters(markdownOf(text).map(drawn).join(''))).toBe(letters(text))
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['marks', '**a '.repeat(40_000)],
  ['brackets', '['.repeat(100_000)],
  ['labels', '](a'.repeat(50_000)],
  ['backticks', Array.from({ length: 400 }, (_, n) => '`'.repeat(n)).join(' ')],
  ['quotes', `${'>'.repeat(50_000)} a`],
  ['lists', `${'- '.repeat(50_000)} a`],
  ['blanks', `a${' '.repeat(100_000)}b\n${' '.repeat(100_000)}|`],
  ['blocks', 'a\n\n- b\n\n| c |\n'.repeat(20_000)],
])('a long text of %s is read at once', (_, text) => {
  const begun = process.threadCpuUsage()
  markdownOf(text)
  // What grows with the square of the text takes minutes; other work of the machine does not count.
  expect(process.threadCpuUsage(begun).user).toBeLessThan(5_000_000)
})
