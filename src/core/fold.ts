import type { Decision } from './decision.ts'
import { CorruptJournalError, messageOf } from './errors.ts'
import type { EventData, EventKind, JournalEvent, JournalledCall } from './event.ts'
import type { Profile } from './profile.ts'
import type { Run, Step, Thread } from './thread.ts'
import { assertMayBecome, type CallStatus, isFinal, type ToolCall } from './tool-call.ts'
import { toolMessage } from './tool-message.ts'
import { addUsage, NO_USAGE } from './usage.ts'

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
    takeIn(thread, event.data as never, event)
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
  'step.started': [],
  'model.answered': ['text', 'calls', 'usage'],
  'call.gated': ['call_id'],
  'call.started': ['call_id', 'attempt'],
  'call.finished': ['call_id', 'status'],
  'hold.opened': ['hold_id', 'kind', 'call_id'],
  'hold.decided': ['hold_id', 'decision'],
  'step.ended': [],
  'checkpoint.named': ['checkpoint_id', 'reason'],
  'run.finished': ['termination'],
}

const FOLDS: { readonly [K in EventKind]: FoldOf<K> } = {
  'thread.forked': () => {},
  'run.started': (thread, data, event) => {
    if (thread.run && !thread.run.termination) throw new Error(`run ${thread.run.id} is not finished`)
    const { profile, carried } = data
    thread.run = {
      id: event.run_id,
      profile,
      steps: carried?.steps ?? 0,
      usage: carried?.usage ?? NO_USAGE,
      step: null,
      holds: new Map(),
      rejected: new Map(),
      checkpoint: null,
      announced: null,
      termination: null,
      answer: '',
      concluding: false,
    }
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
  'message.received': (thread, { content, author }) => {
    thread.messages.push({ role: 'user', content, author })
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
  'hold.opened': (thread, { hold_id, kind, call_id, digest, because }) => {
    runOf(thread).holds.set(hold_id, { id: hold_id, kind, call_id, digest, because, decision: null })
    if (call_id !== null) move(thread, call_id, 'suspended', { hold_id })
  },
  'hold.decided': holdDecided,
  'step.ended': stepEnded,
  'checkpoint.named': (thread, { checkpoint_id, reason }, event) => {
    const run = runOf(thread)
    run.checkpoint = { id: checkpoint_id, seq: event.seq, reason }
    if (reason !== 'step') run.announced = run.checkpoint
  },
  'run.finished': (thread, { termination }) => {
    const run = runOf(thread)
    if (run.termination) throw new Error(`run ${run.id} is finished already`)
    run.termination = termination
    thread.finished.set(run.id, termination)
  },
}

function modelAnswered(thread: Thread, data: EventData['model.answered']): void {
  const run = runOf(thread)
  if (run.step) throw new Error(`step ${run.step.number} has not ended`)
  run.steps += 1
  run.concluding = false
  run.answer = data.text
  run.usage = addUsage(run.usage, data.usage)
  const calls = new Map(data.calls.map(call => [call.id, newCall(call)]))
  run.step = { number: run.steps, text: data.text, calls }
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
  run.concluding = stepOf(run).calls.size === 0
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
  const hold = run.holds.get(hold_id)
  if (!hold) throw new Error(`hold ${hold_id} was never opened`)
  if (hold.decision) throw new Error(`hold ${hold_id} is decided already`)
  run.holds.set(hold_id, { ...hold, decision })
  if (hold.kind === 'input') {
    if (decision.verdict === 'respond') {
      run.concluding = false
      thread.messages.push({ role: 'user', content: String(decision.value), author: decision.decided_by })
    }
    return
  }
  if (hold.call_id === null) throw new Error(`hold ${hold_id} is about no call`)
  const edited = decision.arguments ? { final_arguments: decision.arguments } : {}
  move(thread, hold.call_id, 'resuming', edited)
  if (decision.verdict === 'reject' && hold.kind === 'approval' && hold.digest)
    run.rejected.set(hold.digest, decision.reason)
}

function newCall({ id, name, arguments: args }: JournalledCall): ToolCall {
  return {
    id,
    name,
    arguments: args,
    final_arguments: args,
    status: 'new',
    attempt: 0,
    allowed: false,
    hold_id: null,
    output: null,
    error: null,
  }
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
