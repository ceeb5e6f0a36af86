import { describe, expect, test } from 'vitest'
import { aDecision, aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import type { EventData, EventKind } from '../journal/event.ts'
import { AUDIT_KINDS, auditEntry, type Entry, entryOf, isByItself, RECORDED_KINDS } from './audit.ts'
import type { AuditContext } from './decision-record.ts'

const BY_RULE = { because: 'default: prompt', plugin: 'policy' }
const BY_NEVER = { because: 'tools.drop_*: never', plugin: 'policy' }

const context = (changes: Partial<AuditContext> = {}): AuditContext => ({
  opened: () => BY_RULE,
  asked: () => ({ amount: 100 }),
  ...changes,
})

function entry<K extends EventKind>(kind: K, data: Partial<EventData[K]>, within = context()): Entry | null {
  return auditEntry(aJournal([anEvent(kind, data)])[0]!, within)
}

const decided = (decision: EventData['hold.decided']['decision'], within?: AuditContext) =>
  entry('hold.decided', { decision }, within)?.data

describe('the record of an event', () => {
  test('says what it is about, and who brought it about, where', () => {
    const { thread_id, run_id, hold_id, call_id, actor, surface } = entry('hold.decided', {
      decision: aDecision('reject', { decided_by: 'ben', surface: 'web' }),
    })!
    expect({ thread_id, run_id, hold_id, call_id, actor, surface }).toEqual({
      thread_id: 'th_1',
      run_id: 'run_1',
      hold_id: 'hold_1',
      call_id: 'call_1',
      actor: 'ben',
      surface: 'web',
    })
  })

  test('of a decision has what binds it and why, and not what was answered', () => {
    const decision = aDecision('respond', { value: 'my password', reason: 'they asked', digest: 'sha256:1' })
    expect(decided(decision)).toEqual({
      decision_id: 'dec_1',
      verdict: 'respond',
      digest: 'sha256:1',
      reason: 'they asked',
    })
  })

  test('of an edit has what was asked and what was put in its place', () => {
    expect(decided(aDecision('edit', { arguments: { amount: 10 } }))).toMatchObject({
      edited: { from: { amount: 100 }, to: { amount: 10 } },
    })
  })

  test.each(['approve', 'edit'] as const)('of %s where policy says never is marked as an override', verdict => {
    expect(decided(aDecision(verdict), context({ opened: () => BY_NEVER }))).toMatchObject({ override: true })
    expect(decided(aDecision(verdict))).not.toHaveProperty('override')
    const byPlugin = context({ opened: () => ({ ...BY_NEVER, plugin: 'spend-limit' }) })
    expect(decided(aDecision(verdict), byPlugin)).not.toHaveProperty('override')
  })

  test('of a rejection where policy says never overrides nothing', () => {
    expect(decided(aDecision('reject'), context({ opened: () => BY_NEVER }))).not.toHaveProperty('override')
  })

  test('of an effect has its claim, and of its end a status and a code, without what came of it', () => {
    expect(entry('call.started', { attempt: 2, digest: 'sha256:2' })?.data).toEqual({ attempt: 2, digest: 'sha256:2' })
    const error = { code: 'TOOL_CALL_FAILED', message: 'with a secret' }
    expect(entry('call.finished', { status: 'failed', output: 'also one', error })?.data).toEqual({
      status: 'failed',
      error: 'TOOL_CALL_FAILED',
    })
  })

  test('there is none of a call that the rules let pass, and one where a standing or an earlier approval was used', () => {
    expect(entry('call.gated', { rule: 'default: auto', grant_id: null, approval_id: null })).toBeNull()
    expect(entry('call.gated', { grant_id: 'grant_1', approval_id: null })?.data).toMatchObject({ grant_id: 'grant_1' })
    expect(entry('call.gated', { grant_id: null, approval_id: 'hold_9' })?.data).toMatchObject({
      approval_id: 'hold_9',
    })
  })

  test('of an assignment says from where, and of a message that takes the place of held calls by whom', () => {
    const assigned = entry('hold.assigned', { assignee: 'ben', by: 'ana', surface: 'web', reason: null })
    expect(assigned).toMatchObject({ actor: 'ana', surface: 'web', data: { assignee: 'ben' } })
    const message = { content: 'Forget it', author: 'ana', supersede: true }
    expect(entry('message.queued', message)).toMatchObject({ actor: 'ana', data: { supersede: true } })
    expect(entry('message.queued', { ...message, supersede: false })).toBeNull()
  })

  test('stays small, however much a plugin has to say', () => {
    const said = entry('hold.opened', { because: 'x'.repeat(10_000) })!
    expect(JSON.stringify(said.data).length).toBeLessThan(350)
  })
})

test('what follows from no event is told from what does', () => {
  expect(AUDIT_KINDS.filter(isByItself)).toEqual([
    'decision.refused',
    'hold.shown',
    'grant.given',
    'grant.revoked',
    'access.added',
    'access.revoked',
    'place.trusted',
    'session.opened',
    'session.ended',
    'thread.pruned',
    'checkpoint.exported',
    'checkpoint.imported',
    'task.started',
    'task.resumed',
    'task.cancelled',
    'task.ended',
    'task.pruned',
    'writer.taken',
    'lease.released',
    'lease.given_back',
    'command.stopped',
    'effect.undone',
    'widening.refused',
    'store.moved',
  ])
  expect(RECORDED_KINDS.some(isByItself)).toBe(false)
})

test('an entry that names nobody has a null for everybody', () => {
  expect(entryOf({ kind: 'hold.shown', hold_id: 'hold_1', data: {} })).toEqual({
    thread_id: null,
    run_id: null,
    hold_id: 'hold_1',
    call_id: null,
    actor: null,
    surface: null,
    data: {},
  })
})
