import type { Decision } from './decision.ts'
import { CorruptJournalError, messageOf } from './errors.ts'
import type { EventData, EventKind, JournalEvent } from './event.ts'
import { assertMayFollow } from './may-follow.ts'
import { mayRun } from './may-run.ts'
import type { Profile } from './profile.ts'
import { countCalls, NO_STREAK } from './stop-condition.ts'
import { type HoldState, newRun, openHolds, type QueuedMessage, type Run, type Step, type Thread } from './thread.ts'
import { assertMayBecome, type CallStatus, isFinal, newCall, type ToolCall } from './tool-call.ts'
import { toolMessage } from './tool-message.ts'
import { upcast } from './upcast.ts'
import { addUsage } from './usage.ts'

export function emptyThread(id: string): Thread {
  return { id, seq: 0, messages: [], call_ids: new Set(), run: null, finished: new Map() }
}

/** @throws CorruptJournalError where the events are not the whole journal of one thread, in order. */
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

type FoldOf<K extends EventKind> = (thread: Thread, data: EventData[K], event: JournalEvent) => void

/** Settings that say which calls may run. */
const GATING: readonly (keyof Profile)[] = ['agent_file', 'tools', 'policy', 'pause_on', 'workdir']

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
    for (const call of run.step?.calls.values() ?? []) {
      if (decidesAnew && call.status === 'new') change(thread, call.id, { allowed: false })
    }
  },
  'message.received': (thread, { content, author, forced_by }) => {
    const run = betweenSteps(thread)
    hear(thread, { content, author })
    run.forced = forced_by === null ? 0 : run.forced + 1
  },
  'message.queued': (thread, { content, author, supersede }) => {
    const run = runOf(thread)
    run.queue.push({ content, author })
    if (supersede && run.step) run.step.superseded = true
  },
  'message.delivered': (thread, { count }) => {
    const run = betweenSteps(thread)
    if (!(count > 0 && count <= run.queue.length)) throw new Error(`${run.queue.length} messages were queued`)
    for (const message of run.queue.splice(0, count)) hear(thread, message)
    run.forced = 0
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
  'call.gated': (thread, { call_id }) => {
    move(thread, call_id, 'new', { allowed: true })
  },
  'call.started': (thread, { call_id, attempt }) => {
    const call = callOf(thread, call_id)
    assertMayBecome(call, 'running')
    if (!mayRun(runOf(thread), call)) throw new Error(`call ${call_id} was let pass by nobody`)
    change(thread, call_id, { status: 'running', attempt })
  },
  'call.finished': (thread, { call_id, status, output, error }) => {
    move(thread, call_id, status, { output, error })
  },
  'hold.opened': holdOpened,
  'hold.decided': holdDecided,
  'hold.withdrawn': (thread, { hold_id }) => {
    const run = runOf(thread)
    run.holds.set(hold_id, { ...undecided(run, hold_id), withdrawn: true })
  },
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

/** Somebody said something: the model is to answer it, and what it did time and again before was before that. */
function hear(thread: Thread, { content, author }: QueuedMessage): void {
  thread.messages.push({ role: 'user', content, author })
  const run = runOf(thread)
  run.concluding = false
  run.counters = { ...run.counters, ...NO_STREAK }
}

function modelAnswered(thread: Thread, data: EventData['model.answered']): void {
  const run = atRest(thread)
  const usage = addUsage(run.usage, data.usage)
  const calls = new Map(data.calls.map(call => [call.id, newCall(call)]))
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
  run.answer = data.text
  run.usage = usage
  run.step = { number: run.steps, text: data.text, calls, superseded: false }
  for (const id of ids) thread.call_ids.add(id)
  // Providers refuse an assistant message with nothing in it; the step is still in the journal.
  if (data.text !== '' || tool_calls.length > 0)
    thread.messages.push({ role: 'assistant', content: data.text, tool_calls })
}

/** P5: one result for each call, in call order, directly after the message that asked for them. */
function stepEnded(thread: Thread): void {
  const run = runOf(thread)
  const { calls: asked, text } = stepOf(run)
  const calls = [...asked.values()]
  const open = calls.find(({ status }) => !isFinal(status))
  if (open) throw new Error(`call ${open.id} is ${open.status}`)
  for (const call of calls) thread.messages.push(toolMessage(call, editOf(run, call.id)))
  const ran = calls.filter(({ status }) => status === 'succeeded').map(({ name }) => name)
  run.ended_step = { text, ran }
  run.counters = countCalls(run.counters, calls)
  run.concluding = calls.length === 0
  run.step = null
}

/** The newest one: a call that changed after it was edited is asked about again. */
function editOf(run: Run, callId: string): Decision | null {
  const edited = [...run.holds.values()].findLast(
    ({ call_id, decision }) => call_id === callId && decision?.verdict === 'edit',
  )
  return edited?.decision ?? null
}

/** Calls are held one hold at a time; a text pause is about no call. */
function holdOpened(thread: Thread, { hold_id, status: _, ...asked }: EventData['hold.opened']): void {
  const { call_id, kind } = asked
  const run = call_id === null ? betweenSteps(thread) : runOf(thread)
  if (run.holds.has(hold_id)) throw new Error(`hold ${hold_id} was opened before`)
  if ((kind === 'input') !== (call_id === null))
    throw new Error(`a hold of kind ${kind} is about ${call_id ?? 'no call'}`)
  const other = openHolds(run).find(hold => hold.call_id === call_id)
  if (other) throw new Error(`hold ${other.id} is open`)
  if (call_id !== null) move(thread, call_id, 'suspended', { hold_id })
  run.holds.set(hold_id, { id: hold_id, ...asked, decision: null, withdrawn: false })
}

function holdDecided(thread: Thread, { hold_id, decision }: EventData['hold.decided']): void {
  const run = runOf(thread)
  const hold = undecided(run, hold_id)
  if (hold.call_id === null) goOn(thread, decision)
  else move(thread, hold.call_id, 'resuming', decision.arguments ? { final_arguments: decision.arguments } : {})
  run.holds.set(hold_id, { ...hold, decision })
  if (decision.verdict === 'reject' && hold.kind === 'approval' && hold.digest)
    run.rejected.set(hold.digest, decision.reason)
}

function goOn(thread: Thread, { verdict, value, decided_by }: Decision): void {
  if (verdict !== 'respond') return
  hear(thread, { content: String(value), author: decided_by })
  runOf(thread).forced = 0
}

function undecided(run: Run, holdId: string): HoldState {
  const hold = run.holds.get(holdId)
  if (!hold) throw new Error(`hold ${holdId} was never opened`)
  if (hold.decision) throw new Error(`hold ${holdId} is decided already`)
  if (hold.withdrawn) throw new Error(`hold ${holdId} is withdrawn`)
  return hold
}

function move(thread: Thread, callId: string, status: CallStatus, changes: Partial<ToolCall>): void {
  const call = callOf(thread, callId)
  assertMayBecome(call, status)
  // What a call came to, it came to once.
  if (!isFinal(call.status)) change(thread, callId, { ...changes, status })
}

function change(thread: Thread, callId: string, changes: Partial<ToolCall>): void {
  stepOf(runOf(thread)).calls.set(callId, { ...callOf(thread, callId), ...changes })
}

function callOf(thread: Thread, callId: string): ToolCall {
  const call = stepOf(runOf(thread)).calls.get(callId)
  if (!call) throw new Error(`call ${callId} is not one of the step under way`)
  return call
}

function stepOf(run: Run): Step {
  if (!run.step) throw new Error(`run ${run.id} has no step under way`)
  return run.step
}

/** Where messages have their place (P5). */
function betweenSteps(thread: Thread): Run {
  const run = runOf(thread)
  if (run.step) throw new Error(`step ${run.step.number} has not ended`)
  return run
}

/** A hold that is left behind could still be decided. */
function atRest(thread: Thread): Run {
  const run = betweenSteps(thread)
  const [open] = openHolds(run)
  if (open) throw new Error(`hold ${open.id} is open`)
  return run
}

function runOf(thread: Thread): Run {
  if (!thread.run) throw new Error('no run has started')
  return thread.run
}
