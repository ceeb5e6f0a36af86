import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-hold.ts'
import { objectionToClaim } from './may-claim.ts'
import { applyRequest, type NewRequest } from './request.ts'
import { isOver, isWoken, restIfSeen } from './run-standing.ts'

const AT = '2030-01-01T00:00:00.000Z'
const NOW = Date.parse(AT)
const away = {
  ...{ bundle_id: 'bundle_1', thread_id: 'th_1', run_id: 'run_1', checkpoint_id: 'cp_1' },
  ...{ exported_at: AT, exported_by: 'ana', surface: 'cli' },
}
const free = { status: 'running', exported: null, lease: null } as const
const terms = { decides: false, now: NOW }
const leased = { ...free, lease: { owner: 'one', until: '2030-01-01T00:00:01.000Z' } }

test('P7: a lease is free if it has no owner, or its owner is known to be gone; no clock frees it', () => {
  expect(objectionToClaim(free, terms)).toBeNull()
  expect(objectionToClaim({ ...leased, lease: { owner: 'one', until: AT } }, terms)).toMatchObject({ outcome: 'busy' })
  expect(objectionToClaim(leased, { ...terms, evict: 'one' })).toBeNull()
  expect(objectionToClaim(leased, { ...terms, evict: 'two' })).toMatchObject({ outcome: 'busy', owner: 'one' })
})

test('a run that is done gives a lease only to tell what became of decisions', () => {
  expect(objectionToClaim({ ...free, status: 'done' }, terms)).toEqual({ outcome: 'done' })
  expect(objectionToClaim({ ...free, status: 'done' }, { ...terms, decides: true })).toBeNull()
})

test('a run that moved to another store is claimed by nobody', () => {
  expect(() => objectionToClaim({ ...free, exported: away }, terms)).toThrow(
    expect.objectContaining({ code: 'exported' }),
  )
})

const cancel: NewRequest = {
  run_id: 'run_1',
  event: { kind: 'cancel.requested', run_id: 'run_1', data: { by: 'ana', reason: null } },
  withdraw: true,
  unlessWaiting: false,
}
const run = { id: 'run_1', status: 'waiting', ended: null, exported: null } as const

test('a cancel withdraws each open hold before its own event', () => {
  const applied = applyRequest(run, [aHold(), aHold({ id: 'hold_2' })], cancel)
  if (applied.outcome !== 'recorded') throw new TypeError(applied.outcome)
  expect(applied.events.map(({ kind }) => kind)).toEqual(['hold.withdrawn', 'hold.withdrawn', 'cancel.requested'])
  expect(applied.events[0]?.data).toMatchObject({ hold_id: 'hold_1', because: 'the run was cancelled' })
})

test('a request writes nothing if the run is over, if it minds open holds, or if the run moved away', () => {
  expect(applyRequest({ ...run, status: 'done' }, [], cancel)).toEqual({ outcome: 'done' })
  expect(applyRequest({ ...run, ended: 'cancelled' }, [], cancel)).toEqual({ outcome: 'done' })
  const minding = { ...cancel, unlessWaiting: true }
  expect(applyRequest(run, [aHold()], minding)).toEqual({ outcome: 'waiting', holds: 1 })
  expect(applyRequest(run, [], minding)).toMatchObject({ outcome: 'recorded' })
  expect(() => applyRequest({ ...run, exported: away }, [], cancel)).toThrow(
    expect.objectContaining({ code: 'exported' }),
  )
})

test('a message to a run that waits for one is not queued, unless it withdraws what the run waits for', () => {
  const input = aHold({ kind: 'input', call_id: null, tool: null })
  const data = { content: 'and more', author: 'ana', supersede: false }
  const message = { ...cancel, event: { kind: 'message.queued', run_id: 'run_1', data } } as const
  for (const unlessWaiting of [false, true])
    expect(applyRequest(run, [input], { ...message, withdraw: false, unlessWaiting })).toEqual({ outcome: 'asks' })
  expect(applyRequest(run, [input], message)).toMatchObject({ outcome: 'recorded', withdraws: [input] })
  expect(applyRequest(run, [aHold()], { ...message, withdraw: false })).toMatchObject({ outcome: 'recorded' })
  expect(applyRequest(run, [input], { ...cancel, withdraw: false })).toMatchObject({ outcome: 'recorded' })
})

test.each([
  ['waiting', 'call', true, true],
  ['waiting', 'batch', true, false],
  ['waiting', 'batch', false, true],
  ['running', 'call', false, false],
  ['done', 'batch', false, false],
] as const)('a %s run of scope %s (open holds: %s) is woken by a decision: %s', (status, hold_scope, open, woken) => {
  expect(isWoken({ status, hold_scope }, open)).toBe(woken)
})

test('a run with an end is over before its status says so', () => {
  expect([isOver({ status: 'running', ended: null }), isOver({ status: 'running', ended: 'error' })]).toEqual([
    false,
    true,
  ])
})

test('over events that its owner has not seen, a run keeps its status', () => {
  const commit = { run: { status: 'done', checkpoint_id: 'cp_1' }, rest: { release: true } } as const
  expect(restIfSeen(commit, true)).toEqual(commit)
  expect(restIfSeen(commit, false)).toEqual({ run: { checkpoint_id: 'cp_1' } })
  expect(restIfSeen({}, false)).toEqual({})
})
