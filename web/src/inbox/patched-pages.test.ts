import { expect, test } from 'vitest'
import type { HoldRow } from '../api/documents.ts'
import { patchedPages } from './patched-pages.ts'

function row(id: string, more: Partial<HoldRow> = {}): HoldRow {
  return { id, run_id: `run_${id[0]}`, opened_at: `2030-01-0${id[1]}`, due_at: null, summary: '', ...more } as HoldRow
}

const pages = [
  { holds: [row('a1', { due_at: '2030-02-01' }), row('b1')], next: 'b1' },
  { holds: [row('a2'), row('c3')], next: null },
]

const ids = (patched: typeof pages) => patched.map(({ holds }) => holds.map(({ id }) => id))

test('rows of the run that are gone are taken away, and those that changed are changed in their place', () => {
  const patched = patchedPages(pages, 'run_a', [row('a2', { summary: 'new' })])
  expect(ids(patched)).toEqual([['b1'], ['a2', 'c3']])
  expect(patched[1]?.holds[0]?.summary).toBe('new')
  expect(patched.map(({ next }) => next)).toEqual(['b1', null])
})

test('a new row stands where the server would list it: by when it is due, then by when it was asked', () => {
  const due = row('d9', { due_at: '2030-01-31' })
  const [early, late] = [row('d2'), row('d9')]
  expect(ids(patchedPages(pages, 'run_d', [due]))[0]).toEqual(['d9', 'a1', 'b1'])
  expect(ids(patchedPages(pages, 'run_d', [early]))[1]).toEqual(['a2', 'd2', 'c3'])
  expect(ids(patchedPages(pages, 'run_d', [late]))[1]).toEqual(['a2', 'c3', 'd9'])
})

test('a new row behind what was read so far comes with the next page', () => {
  const [first] = pages
  expect(first && ids(patchedPages([first], 'run_d', [row('d9')]))).toEqual([['a1', 'b1']])
})
