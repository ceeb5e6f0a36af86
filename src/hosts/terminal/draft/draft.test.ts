import { expect, test } from 'vitest'
import { Draft } from './draft.ts'
import { draftRows } from './draft-rows.ts'

test('a character as people count it is one step of the cursor, and one of backspace', () => {
  const draft = new Draft()
  draft.insert('a👩‍👩‍👧é')
  expect(draft.cursor).toBe(3)
  draft.removeTo(draft.cursor - 2)
  expect(draft.text).toBe('a')
  draft.insert('e')
  draft.insert('\u0301')
  expect(draft.cells).toHaveLength(2)
})

test('a long paste is shown in words and sent whole', () => {
  const draft = new Draft()
  const text = Array.from({ length: 214 }, (_, n) => `line ${n}`).join('\n')
  draft.insert('see ')
  draft.paste(text)
  expect(draftRows(draft, 40, 5).rows).toEqual(['see [pasted 214 lines]'])
  expect(draft.take()).toBe(`see ${text}`)
  expect(draft.isEmpty).toBe(true)
})

test('undo, what was cut, and what was sent come back', () => {
  const draft = new Draft()
  draft.insert('one two')
  draft.removeTo(draft.wordBefore(), true)
  expect(draft.text).toBe('one ')
  draft.yank()
  expect(draft.text).toBe('one two')
  draft.undo()
  expect(draft.text).toBe('one ')
  draft.take()
  draft.insert('next')
  draft.earlier()
  expect(draft.text).toBe('one ')
  draft.later()
  expect(draft.text).toBe('next')
})

test('no row is wider than there is room, and the cursor is where the next character goes', () => {
  const draft = new Draft()
  draft.insert('日本語abc')
  expect(draftRows(draft, 5, 9)).toEqual({ rows: ['日本', '語abc', ''], cursor: { row: 2, column: 0 } })
  draft.moveTo(3)
  expect(draftRows(draft, 5, 9).cursor).toEqual({ row: 1, column: 2 })
})
