import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCommand } from './edit-arguments.ts'

test.each([
  ['vi', ['vi']],
  ['  code  --wait ', ['code', '--wait']],
  [`'/opt/my editor/bin' -n`, ['/opt/my editor/bin', '-n']],
  [`"/opt/my editor/bin" -n`, ['/opt/my editor/bin', '-n']],
  ['/opt/my\\ editor/bin', ['/opt/my editor/bin']],
  [`a'b c'"d e"\\ f`, ['ab cd e f']],
  [`emacs -eval '(setq x "y")'`, ['emacs', '-eval', '(setq x "y")']],
  [`x ''`, ['x', '']],
  [`"a\\"b\\\\c\\d"`, ['a"b\\c\\d']],
  ['vi; rm -rf $HOME `id`', ['vi;', 'rm', '-rf', '$HOME', '`id`']],
  ['', []],
  ['   ', []],
])('%s is split as a shell splits it, with nothing expanded', (text, words) => {
  expect(splitCommand(text)).toEqual(words)
})

test.each([`vi 'x`, `vi "x`, 'vi \\', `vi "x\\"`])('%s is refused', text => {
  expect(() => splitCommand(text)).toThrow('left open')
})

test('a shell splits the same words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '\\', '-', '\t'), maxLength: 12 })
  const texts = fc.sample(word, { numRuns: 200, seed: 7 }).filter(text => !throws(text))
  expect(texts.length).toBeGreaterThan(40)
  const script = texts.map(text => `printf '%s\\037' ${text}\nprintf '\\036'`).join('\n')
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  const split = texts.map(text => `${(splitCommand(text).length > 0 ? splitCommand(text) : ['']).join('\x1f')}\x1f`)
  expect(stdout.split('\x1e').slice(0, -1)).toEqual(split)
})

function throws(text: string): boolean {
  try {
    splitCommand(text)
    return false
  } catch {
    return true
  }
}
