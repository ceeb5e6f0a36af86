import type { Decision } from './decision.ts'
import { CorruptJournalError, messageOf } from './errors.ts'
import type { EventData, EventKind, JournalEvent } from './event.ts'
import type { Profile } from './profile.ts'
import { countCalls } from './stop-condition.ts'
import { type HoldState, newRun, type QueuedMessage, type Run, type Step, type Thread } from './thread.ts'
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
  if (event.seq !== thread.seq + 1) throw new CorruptJournalError(thread.id, `${place} follows event ${thread.seq}`)
  if (!Object.hasOwn(FOLDS, event.kind)) throw new CorruptJournalError(thread.id, `${place} is of an unknown kind`)
  try {
    const missing = NEEDED[event.kind].find(key => !Object.hasOwn(event.data, key))
    if (missing !== undefined) throw new Error(`it has no ${missing}`)
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

/** What an event of each kind cannot be understood without. */
const NEEDED: { readonly [K in EventKind]: readonly (keyof EventData[K] & string)[] } = {
  'thread.forked': [],
  'run.started': ['profile'],
  'run.configured': ['changes'],
  'message.received': ['content'],
  'message.queued': ['content'],
  'message.delivered': ['count'],
  'cancel.requested': ['by'],
  'phase.passed': ['phase'],
  'plugin.set': ['plugin', 'state'],
  'step.started': [],
  'model.answered': ['text', 'calls', 'usage'],
  'call.gated': ['call_id'],
  'call.started': ['call_id', 'attempt'],
  'call.finished': ['call_id', 'status'],
  'hold.opened': ['hold_id', 'kind', 'call_id'],
  'hold.decided': ['hold_id', 'decision'],
  'hold.withdrawn': ['hold_id'],
  'step.ended': [],
  'checkpoint.named': ['checkpoint_id', 'reason'],
  'run.ending': ['termination'],
  'run.finished': ['termination'],
  note: [],
}

const FOLDS: { readonly [K in EventKind]: FoldOf<K> } = {
  'thread.forked': () => {},
  'run.started': (thread, data, event) => {
    if (thread.run && !thread.run.termination) throw new Error(`run ${thread.run.id} is not finished`)
    thread.run = newRun(event.run_id, data, thread.run)
  },
  'run.configured': (thread, { changes }) => {
    const run = runOf(thread)
    run.profile = { ...run.profile, ...changes }
    // P1: what was let pass under other rules is asked again under these.
    const decidesAnew = GATING.some(key => key in changes)
    for (const call of run.step?.calls.values() ?? []) {
      if (decidesAnew && call.status === 'new') change(thread, call.id, { allowed: false })
    }
  },
  'message.received': (thread, { content, author, forced_by }) => {
    const run = runOf(thread)
    hear(thread, { content, author })
    run.forced = forced_by === null ? 0 : run.forced + 1
  },
  'message.queued': (thread, { content, author, supersede }) => {
    const run = runOf(thread)
    run.queue.push({ content, author })
    if (supersede && run.step) run.step.superseded = true
  },
  'message.delivered': (thread, { count }) => {
    const run = runOf(thread)
    if (run.queue.length < count) throw new Error(`only ${run.queue.length} messages were queued`)
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
    const run = runOf(thread)
    if (run.step) throw new Error(`step ${run.step.number} has not ended`)
    run.holds.clear()
  },
  'model.answered': modelAnswered,
  'call.gated': (thread, { call_id }) => {
    change(thread, call_id, { allowed: true })
  },
  'call.started': (thread, { call_id, attempt }) => {
    move(thread, call_id, 'running', { attempt })
  },
  'call.finished': (thread, { call_id, status, output, error }) => {
    move(thread, call_id, status, { output, error })
  },
  'hold.opened': (thread, { hold_id, status: _, ...asked }) => {
    const { call_id } = asked
    runOf(thread).holds.set(hold_id, { id: hold_id, ...asked, decision: null, withdrawn: false })
    if (call_id !== null) move(thread, call_id, 'suspended', { hold_id })
  },
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
    const run = runOf(thread)
    if (run.termination) throw new Error(`run ${run.id} is finished already`)
    run.termination = termination
    thread.finished.set(run.id, termination)
  },
  note: () => {},
}

/** Somebody said something: the model is to answer it. */
function hear(thread: Thread, { content, author }: QueuedMessage): void {
  thread.messages.push({ role: 'user', content, author })
  runOf(thread).concluding = false
}

function modelAnswered(thread: Thread, data: EventData['model.answered']): void {
  const run = runOf(thread)
  if (run.step) throw new Error(`step ${run.step.number} has not ended`)
  run.steps += 1
  run.concluding = false
  if (data.forced_by !== null) run.forced += 1
  run.answer = data.text
  run.usage = addUsage(run.usage, data.usage)
  const calls = new Map(data.calls.map(call => [call.id, newCall(call)]))
  run.step = { number: run.steps, text: data.text, calls, superseded: false }
  for (const call of data.calls) thread.call_ids.add(call.id)
  const tool_calls = data.calls.map(({ id, name, arguments: args, metadata }) => ({
    id,
    name,
    arguments: args,
    metadata,
  }))
  // Providers refuse an assistant message with nothing in it; the step is still in the journal.
  if (data.text !== '' || tool_calls.length > 0)
    thread.messages.push({ role: 'assistant', content: data.text, tool_calls })
}

/** P5: one result for each call, in call order, directly after the message that asked for them. */
function stepEnded(thread: Thread): void {
  const run = runOf(thread)
  for (const call of stepOf(run).calls.values()) {
    if (!isFinal(call.status)) throw new Error(`call ${call.id} is ${call.status}`)
    thread.messages.push(toolMessage(call, editOf(run, call.id)))
  }
  const calls = [...stepOf(run).calls.values()]
  const ran = calls.filter(({ status }) => status === 'succeeded').map(({ name }) => name)
  run.ended_step = { text: stepOf(run).text, ran }
  run.counters = countCalls(run.counters, calls)
  run.concluding = calls.length === 0
  run.step = null
}

function editOf(run: Run, callId: string): Decision | null {
  for (const { call_id, decision } of run.holds.values()) {
    if (call_id === callId && decision?.verdict === 'edit') return decision
  }
  return null
}

function holdDecided(thread: Thread, { hold_id, decision }: EventData['hold.decided']): void {
  const run = runOf(thread)
  const hold = undecided(run, hold_id)
  run.holds.set(hold_id, { ...hold, decision })
  if (hold.kind === 'input') {
    if (decision.verdict !== 'respond') return
    hear(thread, { content: String(decision.value), author: decision.decided_by })
    run.forced = 0
    return
  }
  if (hold.call_id === null) throw new Error(`hold ${hold_id} is about no call`)
  const edited = decision.arguments ? { final_arguments: decision.arguments } : {}
  move(thread, hold.call_id, 'resuming', edited)
  if (decision.verdict === 'reject' && hold.kind === 'approval' && hold.digest)
    run.rejected.set(hold.digest, decision.reason)
}

function undecided(run: Run, holdId: string): HoldState {
  const hold = run.holds.get(holdId)
  if (!hold) throw new Error(`hold ${holdId} was never opened`)
  if (hold.decision) throw new Error(`hold ${holdId} is decided already`)
  if (hold.withdrawn) throw new Error(`hold ${holdId} is withdrawn`)
  return hold
}

function move(thread: Thread, callId: string, status: CallStatus, changes: Partial<ToolCall> = {}): void {
  assertMayBecome(callOf(thread, callId), status)
  change(thread, callId, { ...changes, status })
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

function runOf(thread: Thread): Run {
  if (!thread.run) throw new Error('no run has started')
  return thread.run
}
