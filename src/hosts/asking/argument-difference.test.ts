import { expect, test } from 'vitest'
import { argumentDifference } from './edit-hold.ts'

test('what was changed is told place by place, and what was not is left out', () => {
  const before = { command: 'rm -rf /', dry: true, env: { A: '1' } }
  const after = { command: 'ls', dry: true, env: { A: '1', B: '2' } }
  expect(argumentDifference(before, after)).toBe('command\n- "rm -rf /"\n+ "ls"\nenv.B\n+ "2"\n')
})

test('of a text of several lines those that differ are told, with some around them', () => {
  const before = { command: 'set -e\nbuild --fast\necho built' }
  expect(argumentDifference(before, { command: 'set -e\nbuild\necho built' })).toBe(
    'command\n@@ -1,3 +1,3 @@\n set -e\n-build --fast\n+build\n echo built\n',
  )
  expect(argumentDifference({ command: 'ls\n' }, { command: 'ls' })).toBe(
    'command\n@@ -1 +1 @@\n-ls\n+ls\n\\ No newline at end of file\n',
  )
})

test('the same arguments have no difference', () => {
  expect(argumentDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe('')
})

test('P9: a difference hides nothing, and none is left out', () => {
  expect(argumentDifference({ a: 'x' }, { a: 'x\u200b' })).toBe('a\n- "x"\n+ "x\\u{200b}"\n')
  const many = (value: number) => Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, value]))
  expect(argumentDifference(many(1), many(2)).match(/^\+ 2$/gm)).toHaveLength(50)
})

test('what changes only from null to nothing is told too', () => {
  expect(argumentDifference({ a: null }, {})).toBe('Only entries that are null came or went.\n')
})

test('in a terminal what came is green and what went is red', () => {
  expect(argumentDifference({ a: 1 }, { a: 2 }, (style, text) => `<${style}>${text}`)).toBe(
    '<bold>a\n<red>- 1\n<green>+ 2\n',
  )
})
