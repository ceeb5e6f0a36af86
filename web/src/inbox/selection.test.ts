import { expect, test } from 'vitest'
import type { HoldRow } from '../api/documents.ts'
import { filterOf, hasWords, searchOf } from './filter.ts'
import { alikeTo, moved, toggled } from './selection.ts'

function aRow(changes: Partial<HoldRow>): HoldRow {
  return {
    ...{ id: 'hold_1', kind: 'approval', status: 'open', run_id: 'run_1', thread_id: 'th_1', agent: 'shop' },
    ...{ tool: 'refund', digest: 'sha256:1', destructive: false, overrides_never: false, path: [], summary: '' },
    ...{
      is_cut: false,
      title: 'Refund',
      risk: 'ordinary',
      task: null,
      reaches: [],
      who_may_decide: 'ana',
      approvals: { have: 0, need: 1 },
      may_decide: true,
      outcome: '',
    },
    ...{ opened_at: '2030-01-01T00:00:00.000Z', due_at: null, assignee: null, level: 0 },
    ...changes,
  } as HoldRow
}

test('the cursor moves to the ends and no further, and begins at the first row', () => {
  const ids = ['a', 'b', 'c']
  expect([moved(ids, 'a', 1), moved(ids, 'c', 1), moved(ids, 'a', -1)]).toEqual(['b', 'c', 'a'])
  expect([moved(ids, null, 1), moved(ids, 'gone', -1), moved([], null, 1)]).toEqual(['a', 'a', null])
  expect([...toggled(new Set(['a', 'b']), 'a')]).toEqual(['b'])
})

test('open holds of the same tool, agent and risk are alike, whatever they are called with', () => {
  const rows = [
    aRow({}),
    aRow({ id: 'hold_2', digest: 'sha256:2' }),
    aRow({ id: 'hold_3', risk: 'high' }),
    aRow({ id: 'hold_4', agent: 'other' }),
    aRow({ id: 'hold_5', status: 'decided' }),
  ]
  expect(alikeTo(aRow({}), rows)).toEqual(['hold_1', 'hold_2'])
})

test('a filter is in the address, and the address makes it again', () => {
  for (const search of ['', '?status=decided&mine=true&kind=question&words=shop+9', '?agent=a%26b&tool=t'])
    expect(searchOf(filterOf(search))).toBe(search)
  expect(filterOf('?status=odd&kind=odd')).toMatchObject({ status: 'open', kind: null })
})

test('a row has words if each is somewhere in what it shows', () => {
  const row = aRow({ summary: 'order: 7', path: [{ run_id: 'r', agent: 'Parent' }] })
  expect([hasWords(row, 'refund 7'), hasWords(row, 'PARENT'), hasWords(row, 'refund 8')]).toEqual([true, true, false])
})
