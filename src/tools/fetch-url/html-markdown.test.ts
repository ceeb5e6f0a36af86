import { Parser } from 'htmlparser2'
import { expect, test } from 'vitest'
import { htmlMarkdown } from './html-markdown.ts'

function read(html: string): string {
  return htmlMarkdown(html, 'https://docs.test/guide/', { Parser }).text
}

test.each([
  ['paragraphs', '<p>one\n  two</p><p>three<br>four', 'one two\n\nthree\nfour'],
  ['headings', '<h2>A <em>b</em></h2>text<h3>c</h3>', '## A *b*\n\ntext\n\n### c'],
  ['lists', '<ul><li>a<li>b<ol><li>c</li><li>d</li></ol></ul>e', '- a\n- b\n  1. c\n  2. d\n\ne'],
  ['quotations', '<blockquote><p>a</p><p>b</p></blockquote>c', '> a\n>\n> b\n\nc'],
  ['code', '<pre><code class="language-ts">a  &lt;b\n  c</code></pre>', '```ts\na  <b\n  c\n```'],
  ['fences in code', '<pre>```\nx</pre>', '````\n```\nx\n````'],
  ['code in a line', 'run <code>npm ci</code> now', 'run `npm ci` now'],
  ['tables', '<table><tr><th>a<th>b<tr><td>1<td>x|y</table>', '| a | b |\n| --- | --- |\n| 1 | x\\|y |'],
  ['tables of a layout', '<table><tr><td><table><tr><td>a<td>b</table><td>c</table>', '| a | b |\n| --- | --- |\n\nc'],
  ['links', '<a href="../x">a</a> <a href="javascript:y()">b</a> <a href="#z">c</a>', '[a](https://docs.test/x) b c'],
  ['links around blocks', '<a href=/x><h3>T</h3>more</a>', '### T\n\n[more](https://docs.test/x)'],
  [
    'images',
    '<img src=a.png alt="a b"><img src=b.png><img src="data:x" alt=c>',
    '![a b](https://docs.test/guide/a.png)c',
  ],
  ['what is not shown', 'a<script>b</script><style>c</style><div hidden>d</div><svg><text>e</svg>f', 'af'],
  ['what is never closed', '<p>a<b>b<i>c', 'a**b*c***'],
  ['what was never opened', 'a</b></a></li></table></pre></td>b', 'ab'],
  ['nothing', '', ''],
  ['names of every object', '<constructor>a</constructor><toString __proto__=x>b</toString>', 'ab'],
])('%s', (_, html, markdown) => {
  expect(read(html)).toBe(markdown)
})

test.each([
  ['deep elements', '<div>'.repeat(400_000)],
  ['elements that are closed without being open', `${'<div>'.repeat(5000)}${'</x>'.repeat(400_000)}`],
  ['one long line', 'a <b>b</b> '.repeat(200_000)],
  ['deep quotations', `${'<blockquote>'.repeat(900)}${'a<br>'.repeat(100_000)}`],
  [
    'short links with a long base',
    `<base href="https://a.test/${'b'.repeat(1900)}/">${'<a href=c>d</a>'.repeat(100_000)}`,
  ],
  ['cells', `<table><tr>${'<td>a'.repeat(300_000)}`],
])('a page of %s has a bounded length', (_, html) => {
  expect(read(html).length).toBeLessThan(20_000_000)
})
