import { endedCall } from '../doubt/called-before.ts'
import { CorruptJournalError, messageOf } from '../errors.ts'
import { contentText } from '../message/part-words.ts'
import { afterCompaction, usageAfter, WHOLE_CONTEXT } from '../run/context/context-state.ts'

import { failureAfter } from '../run/outcome/run-failure.ts'
import { isDiscarded } from '../run/outcome/unfinished-answer.ts'
import { GATING } from '../run/profile.ts'
import { isOfRefusal, withoutVain } from '../run/repair/context-repair.ts'
import { assertMayBecome, isFinal } from '../run/tool-call.ts'
import { countObserved, countRefused } from '../run/warnings/counted-calls.ts'
import type { EventData, EventKind, JournalEvent } from './event.ts'
import { atRest, beginInput, betweenSteps, callOf, change, fitting, hear, move, runOf, unclaim } from './fold-access.ts'
import {
  coveringApproval,
  holdDecided,
  holdExpired,
  holdOpened,
  holdVoted,
  holdWithdrawn,
  openHold,
  useApproval,
} from './fold-holds.ts'
import { modelAnswered, stepEnded } from './fold-steps.ts'
import { assertMayFollow } from './may-follow.ts'
import { mayRun } from './may-run.ts'
import { newRun, type Thread } from './thread.ts'
import { upcast } from './upcast.ts'

export function emptyThread(id: string): Thread {
  return {
    id,
    seq: 0,
    messages: [],
    left_out: 0,
    kept_to: 0,
    call_ids: new Set(),
    ended: [],
    run: null,
    finished: new Map(),
    repairs: [],
    accepted: new Map(),
    context: WHOLE_CONTEXT,
  }
}

/** @throws CorruptJournalError if the events are not the whole journal of one thread, in order. */
export function fold(threadId: string, events: Iterable<JournalEvent>): Thread {
  const thread = emptyThread(threadId)
  for (const event of events) apply(thread, event)
  if (thread.seq === 0) throw new CorruptJournalError(threadId, 'it has no events')
  return thread
}

/** Takes one more event in. @throws CorruptJournalError for one that cannot come next. */
export function apply(thread: Thread, event: JournalEvent): void {
  const place = `event ${event.seq} (${event.kind})`
  if (event.thread_id !== thread.id)
    throw new CorruptJournalError(thread.id, `${place} is of thread ${event.thread_id}`)
  if (event.seq !== thread.seq + 1) throw new CorruptJournalError(thread.id, `${place} follows event ${thread.seq}`)
  if (!Object.hasOwn(FOLDS, event.kind)) throw new CorruptJournalError(thread.id, `${place} is of an unknown kind`)
  try {
    assertMayFollow(thread, event)
    const takeIn = FOLDS[event.kind] as FoldOf<EventKind>
    takeIn(thread, upcast(event) as never, event)
  } catch (cause) {
    throw new CorruptJournalError(thread.id, `${place} does not fit: ${messageOf(cause)}`, cause)
  }
  thread.seq = event.seq
}

/** Takes over the times of the store, for events that were taken in before they were written. */
export function retime(thread: Thread, written: readonly JournalEvent[]): void {
  for (const { kind, data, at } of written) {
    if (kind !== 'call.finished') continue
    const place = thread.ended.findLastIndex(({ id }) => id === data.call_id)
    const ended = thread.ended[place]
    if (ended) thread.ended[place] = { ...ended, at }
  }
}

type FoldOf<K extends EventKind> = (thread: Thread, data: EventData[K], event: JournalEvent) => void

const FOLDS: { readonly [K in EventKind]: FoldOf<K> } = {
  'thread.forked': () => {},
  'run.started': (thread, data, event) => {
    thread.run = newRun(event.run_id, data, thread.run)
  },
  'run.configured': (thread, { changes }) => {
    const run = runOf(thread)
    // P1: what was let pass under other rules is asked again under these.
    const decidesAnew = GATING.some(key => Object.hasOwn(changes, key))
    run.profile = { ...run.profile, ...changes }
    if (decidesAnew) run.counters = { ...run.counters, refused_in_row: {} }
    for (const call of run.step?.calls.values() ?? []) {
      if (decidesAnew && call.status === 'new') change(thread, call.id, { allowed: false })
    }
  },
  'message.received': (thread, { content, author, forced_by, active_ms }) => {
    betweenSteps(thread)
    const run = hear(thread, { content, author })
    if (forced_by === null) beginInput(run, active_ms)
    else run.forced += 1
  },
  'message.queued': (thread, { content, author, supersede, interrupt = false }) => {
    runOf(thread).queue.push({ content, author, supersede, interrupt })
  },
  'message.delivered': (thread, { count, active_ms }) => {
    const run = betweenSteps(thread)
    if (!(count > 0 && count <= run.queue.length)) throw new Error(`${run.queue.length} messages were queued`)
    for (const message of run.queue.splice(0, count)) hear(thread, message)
    beginInput(run, active_ms)
  },
  'cancel.requested': (thread, { by, reason }) => {
    runOf(thread).cancel ??= { by, reason }
  },
  'phase.passed': thread => {
    runOf(thread).run_start_passed = true
  },
  'plugin.set': (thread, { plugin, state }) => {
    runOf(thread).plugin_states.set(plugin, state)
  },
  'step.started': thread => {
    atRest(thread).holds.clear()
  },
  'model.answered': modelAnswered,
  'model.unavailable': (thread, outage) => {
    const run = atRest(thread)
    run.outage = outage
    // After the wait its own model is asked first.
    run.stand_in = null
  },
  'model.switched': (thread, made, { at }) => {
    const run = atRest(thread)
    run.stand_in = made.to === null ? null : { model: made.to, since: at }
    run.switches = [...run.switches, made]
  },
  'answer.asked_again': (thread, { because, message }) => {
    const run = atRest(thread)
    if (run.unfinished === null || !run.concluding) throw new Error('the newest answer counts')
    thread.messages.push({ role: 'user', content: message, author: null })
    if (isDiscarded(because)) run.asked_again = because
    run.concluding = false
  },
  'context.repaired': (thread, repair) => {
    if (repair.by === undefined) {
      const run = atRest(thread)
      if (run.ending || run.termination) throw new Error('no request is under way')
      run.repairs = [...run.repairs, repair]
      if (isOfRefusal(repair)) run.repaired += 1
    }
    thread.repairs = [...thread.repairs, repair]
  },
  'compaction.requested': (thread, requested) => {
    thread.context = { ...thread.context, requested }
  },
  'context.compacted': (thread, compaction) => {
    // Only between two steps: a call that waits, or was approved and has not run, is in no message of before.
    const run = atRest(thread)
    thread.context = afterCompaction(thread.context, compaction, thread.messages)
    run.usage = usageAfter(run.usage, compaction, run.profile.prices)
    if (compaction.failed !== undefined) run.unsummarized = compaction.failed
  },
  'call.gated': (thread, { call_id, grant_id, approval_id, ...made }) => {
    const run = runOf(thread)
    run.observed = countObserved(run.observed, made.rule)
    const approval = approval_id === null ? null : coveringApproval(run, approval_id, call_id)
    move(thread, call_id, 'new', { allowed: true, grant_id, ...fitting(callOf(thread, call_id), made) })
    if (approval !== null) useApproval(run, approval, call_id)
  },
  'call.started': (thread, { call_id, attempt }) => {
    const call = callOf(thread, call_id)
    assertMayBecome(call, 'running')
    if (!mayRun(runOf(thread), call)) throw new Error(`call ${call_id} was let pass by nobody`)
    change(thread, call_id, { status: 'running', attempt, cut_off: null })
  },
  'call.unclaimed': (thread, { call_id, status }) => unclaim(thread, call_id, status),
  'call.cut_off': (thread, { call_id, because, said: text = null }) => {
    const { status } = callOf(thread, call_id)
    if (status !== 'running') throw new Error(`call ${call_id} is ${status}, so nothing cut it off`)
    change(thread, call_id, { cut_off: { because, said: text } })
  },
  'call.finished': (thread, { call_id, status, output, parts, error }, { at }) => {
    const [run, call] = [runOf(thread), callOf(thread, call_id)]
    run.refused = countRefused(run.refused, call, { status, error })
    const ended = endedCall(call, run.holds.get(call.hold_id ?? '')?.kind ?? null, { status, error, at })
    move(thread, call_id, status, parts ? { output: contentText(parts), parts, error } : { output, error })
    if (ended !== null) thread.ended.push(ended)
    const verdict = run.holds.get(call.hold_id ?? '')?.decision?.verdict
    const isApproved = verdict === 'approve' || verdict === 'edit'
    const failed = failureAfter(run.failed, { status, output, error, args: call.final_arguments, isApproved })
    if (!isFinal(call.status)) run.failed = failed
  },
  'hold.opened': holdOpened,
  'hold.decided': holdDecided,
  'hold.voted': holdVoted,
  'hold.unclear': openHold,
  'hold.assigned': openHold,
  'hold.reminded': openHold,
  'hold.escalated': openHold,
  'hold.expired': holdExpired,
  'hold.withdrawn': holdWithdrawn,
  'step.ended': stepEnded,
  'checkpoint.named': (thread, { checkpoint_id, reason, active_ms }, event) => {
    const run = runOf(thread)
    run.counters = { ...run.counters, active_ms }
    run.checkpoint = { id: checkpoint_id, seq: event.seq, reason }
    if (reason !== 'step') run.announced = run.checkpoint
  },
  'run.ending': (thread, { termination }) => {
    runOf(thread).ending = termination
  },
  'run.finished': (thread, { termination }) => {
    const run = atRest(thread)
    run.termination = termination
    thread.repairs = withoutVain(thread.repairs, run)
    thread.finished.set(run.id, termination)
  },
  note: ({ run }, { about, message, left_out, warned_by: name }) => {
    if (run && left_out !== undefined) run.left_out = new Map(run.left_out).set(left_out, message)
    const code = about === 'model' ? 'model_warning' : 'tool_warning'
    if (run && name !== undefined) run.warned = new Map(run.warned).set(message, { code, name })
  },
}
