import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { syntaxFaults } from './check-syntax.ts'
import { differenceOf } from './expected-output.ts'
import { playPage } from './play-page.ts'
import { snippetsOf } from './snippets.ts'

const root = mkdtempSync(join(tmpdir(), 'holdpoint-harness-'))
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }))

function page(...lines: string[]): ReturnType<typeof snippetsOf> {
  return snippetsOf('page.md', lines.join('\n'))
}

let pages = 0
const played = (...lines: string[]) => playPage(page(...lines), join(root, String(++pages)))

test('a file is saved as its page says, and the commands of a page share a directory and variables', async () => {
  const saved = ['Save this as `a/b.txt`:', '', '```text', 'hello', '```', '']
  await played(...saved, '```sh', 'cd a', 'WORD=$(cat b.txt)', '```', '', '```console', '$ echo $WORD', 'hello', '```')
})

test.each([
  ['a command that fails', ['# A page', '', '```sh', 'true', 'false', '```'], 'page.md:4: `false` ended with 1, not 0'],
  [
    'other output',
    ['```console', '$ echo one', 'two', '```'],
    'page.md:2: `echo one`\nexpected:\n    two\nprinted:\n    one',
  ],
  ['a program that throws', ['```ts', 'throw new Error("no")', '```'], 'page.md:2: `node snippet-2.mts` ended with 1'],
])('%s is named with its page and line', async (_case, lines, message) => {
  await expect(played(...lines)).rejects.toThrow(message)
})

test.each([
  ['a script', ['```sh', 'if', '```']],
  ['a document', ['```json', '{ a: 1 }', '```']],
  ['a front matter', ['```yaml', 'a: [', '```']],
  ['a program', ['```ts', 'const = 1', '```']],
  ['a setting', ['In `.holdpoint/config.json`:', '', '```json', '{ "modell": "a/b" }', '```']],
  ['a block without a language', ['```', 'x', '```']],
])('%s that cannot be read is named, also if it is not run', (_case, lines) => {
  const [snippet] = page(...lines)
  const [first, ...others] = syntaxFaults(snippet!)
  for (const fault of [first, ...others]) expect(fault).toMatch(/^page\.md:\d: /)
})

test('ids and times of a page stand for others, each for the same one everywhere', () => {
  const bound = new Map<string, string>()
  const [a, b, c] = ['run_aaaaaaaaaaaaaaaa', 'run_bbbbbbbbbbbbbbbb', 'run_cccccccccccccccc']
  expect(differenceOf(`${a} at 2026-11-22T09:14:07.059Z`, `${b} at 2030-01-01T00:00:00.000Z`, bound)).toBeNull()
  expect(differenceOf(a, b, bound)).toBeNull()
  expect(differenceOf(a, c, bound)).toContain(c)
  expect(differenceOf('first\n…\nlast', 'first\nmore\nand more\nlast', bound)).toBeNull()
})
