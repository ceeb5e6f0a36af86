import { expect, test } from 'vitest'
import { refuseUnkept } from './refuse-unkept.ts'

const NUL = 'a\0b'

test.each([
  ["INSERT INTO @tasks (id, status, title) VALUES ($1, 'pending', $2) ON CONFLICT DO NOTHING", ['t', NUL], 'title'],
  ["INSERT INTO tasks (id, status, title) VALUES (?, 'pending', ?)", ['t', NUL], 'title'],
  ['UPDATE notices SET status = ?3, error = ?6 WHERE id = ?1', ['n', 1, 'd', 2, 3, NUL], 'error'],
  ['UPDATE @access SET revoked_at = $1, revoked_by = $2 WHERE id = $3', [1, NUL, 'x'], 'revoked_by'],
  [
    'UPDATE grants SET uses = max(uses, ?), revoked_by = coalesce(?, revoked_by) WHERE id = ?',
    [1, NUL, 'x'],
    'revoked_by',
  ],
  ['SELECT 1 FROM @tasks WHERE id = ANY($1::text[])', [['fine', NUL]], 'id'],
])('%s names the column of the text', (sql, values, field) => {
  expect(() => refuseUnkept(sql, values)).toThrow(
    expect.objectContaining({ code: 'store_text_refused', details: { field, character: 'U+0000' } }),
  )
})

test('a text whose place a statement does not show is refused all the same', () => {
  expect(() => refuseUnkept('SELECT strpos(data, $1)', ['\ud800'])).toThrow('A text has the character U+D800')
})

test('documents, numbers and bytes pass', () => {
  expect(() => refuseUnkept('x', [JSON.stringify({ text: `${NUL}\ud800` }), 1, null, new Uint8Array(2)])).not.toThrow()
})
