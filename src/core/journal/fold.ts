import { endedCall } from '../doubt/called-before.ts'
import { CorruptJournalError, messageOf } from '../errors.ts'
import { answerContent } from '../message/answer-content.ts'
import { contentText } from '../message/part-words.ts'
import { countRefusals } from '../run/insistence.ts'
import { failureAfter } from '../run/outcome/run-failure.ts'
import { isDiscarded } from '../run/outcome/unfinished-answer.ts'
import { GATING } from '../run/profile.ts'
import { countCalls, countPause } from '../run/stop-condition.ts'
import { assertMayBecome, type CallStatus, isFinal, newCall } from '../run/tool-call.ts'
import { addUsage } from '../run/usage.ts'
import { countObserved, countRefused } from '../run/warnings/counted-calls.ts'
import { frozen } from '../text/frozen.ts'
import type { EventData, EventKind, JournalEvent } from './event.ts'
import { atRest, beginInput, betweenSteps, callOf, change, fitting, hear, move, runOf, stepOf } from './fold-access.ts'
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
import { assertMayFollow } from './may-follow.ts'
import { mayRun } from './may-run.ts'
import { hasPaused, newRun, type Run, type Thread } from './thread.ts'
import { toolMessage } from './tool-message.ts'
import { upcast } from './upcast.ts'

export function emptyThread(id: string): Thread {
  return { id, seq: 0, messages: [], call_ids: new Set(), ended: [], run: null, finished: new Map() }
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
  'answer.asked_again': (thread, { because, message }) => {
    const run = atRest(thread)
    if (run.unfinished === null || !run.concluding) throw new Error('the newest answer counts')
    thread.messages.push({ role: 'user', content: message, author: null })
    if (isDiscarded(because)) run.asked_again = because
    run.concluding = false
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
    thread.finished.set(run.id, termination)
  },
  note: () => {},
}

function modelAnswered(thread: Thread, data: EventData['model.answered']): void {
  const run = atRest(thread)
  const usage = addUsage(run.usage, data.usage)
  const calls = new Map(data.calls.map(call => [call.id, newCall({ ...call, arguments: frozen(call.arguments) })]))
  const ids = data.calls.map(({ id }) => id)
  const taken = ids.find((id, index) => thread.call_ids.has(id) || ids.indexOf(id) < index)
  if (taken !== undefined) throw new Error(`there is a call ${taken} already`)
  const tool_calls = data.calls.map(({ id, name, arguments: args, metadata }) => ({
    id,
    name,
    arguments: args,
    metadata,
  }))
  run.steps += 1
  run.concluding = false
  if (data.forced_by !== null) run.forced += 1
  // A paused answer goes on with the next one.
  run.answer = run.unfinished === 'pause_turn' ? `${run.answer}${data.text}` : data.text
  run.unfinished = data.unfinished ?? null
  if (run.unfinished === null) run.asked_again = null
  run.finish_reason = data.finish_reason ?? ''
  run.usage = usage
  run.step = { number: run.steps, text: data.text, calls }
  for (const id of ids) thread.call_ids.add(id)
  // Providers refuse an assistant message with nothing in it; the step is still in the journal.
  if (data.text !== '' || tool_calls.length > 0)
    thread.messages.push({ role: 'assistant', content: answerContent(data), tool_calls })
}

/** Undoes a claim: the call is as it was before it, and may run by what let it run. */
function unclaim(thread: Thread, callId: string, status: CallStatus): void {
  const claimed = callOf(thread, callId)
  if (claimed.status !== 'running') throw new Error(`call ${callId} is ${claimed.status}, so it has no claim`)
  const before = { ...claimed, status, attempt: claimed.attempt - 1 }
  const fits = status === 'running' ? before.attempt > 0 : status !== 'new' || before.attempt === 0
  if (!fits || !mayRun(runOf(thread), before)) throw new Error(`call ${callId} was not ${status} before`)
  change(thread, callId, before)
}

/** P5: one result for each call, in call order, directly after the message that asked for them. */
function stepEnded(thread: Thread): void {
  const run = runOf(thread)
  const { calls: asked, text } = stepOf(run)
  const calls = [...asked.values()]
  const open = calls.find(({ status }) => !isFinal(status))
  if (open) throw new Error(`call ${open.id} is ${open.status}`)
  const holds = [...run.holds.values()]
  for (const call of calls)
    thread.messages.push(
      toolMessage(
        call,
        holds.filter(({ call_id }) => call_id === call.id),
      ),
    )
  const ran = calls.filter(({ status }) => status === 'succeeded').map(({ name }) => name)
  // Calls of an answer that does not count were not made.
  const made = isDiscarded(run.unfinished) ? [] : calls
  run.ended_step = { text, ran, called: made.map(({ name }) => name) }
  const refused_in_row = countRefusals(run.counters.refused_in_row, made, decidedCalls(run))
  const counted = { ...countCalls(run.counters, made, run.profile.stop), refused_in_row }
  run.counters = hasPaused(run) ? countPause(counted) : counted
  run.concluding = made.length === 0
  run.step = null
}

function decidedCalls(run: Run): ReadonlySet<string> {
  return new Set([...run.holds.values()].flatMap(({ call_id, decision }) => (decision && call_id ? [call_id] : [])))
}
