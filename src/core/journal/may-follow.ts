import type { EventData, EventKind, JournalEvent } from './event.ts'
import type { Thread } from './thread.ts'

/** The stage of a thread's newest run: there is none yet, it goes on, its end is certain, it is over. */
type Stage = 'blank' | 'going' | 'ending' | 'over'

const no = null

/** The stages at which an event of each kind is legal. A writer without the lease may write until a run is over. */
// biome-ignore format: the table is the documentation
const MAY_FOLLOW: Record<EventKind, Record<Stage, true | null>> = {
  'thread.forked':     { blank: true, going: no,   ending: no,   over: no },
  'run.started':       { blank: true, going: no,   ending: no,   over: true },
  'run.configured':    { blank: no,   going: true, ending: true, over: no },
  'message.received':  { blank: no,   going: true, ending: no,   over: no },
  'message.queued':    { blank: no,   going: true, ending: true, over: no },
  'message.delivered': { blank: no,   going: true, ending: no,   over: no },
  'cancel.requested':  { blank: no,   going: true, ending: true, over: no },
  'phase.passed':      { blank: no,   going: true, ending: no,   over: no },
  'plugin.set':        { blank: no,   going: true, ending: true, over: no },
  'step.started':      { blank: no,   going: true, ending: no,   over: no },
  'model.answered':    { blank: no,   going: true, ending: no,   over: no },
  'answer.asked_again': { blank: no,   going: true, ending: no,   over: no },
  'model.unavailable': { blank: no,   going: true, ending: no,   over: no },
  'model.switched':    { blank: no,   going: true, ending: no,   over: no },
  // A person may leave out a part of a conversation at rest.
  'context.repaired':  { blank: no,   going: true, ending: true, over: true },
  // It may be about a conversation at rest.
  'compaction.requested': { blank: no, going: true, ending: true, over: true },
  'context.compacted': { blank: no,   going: true, ending: no,   over: no },
  'call.gated':        { blank: no,   going: true, ending: no,   over: no },
  'call.started':      { blank: no,   going: true, ending: no,   over: no },
  'call.unclaimed':    { blank: no,   going: true, ending: true, over: no },
  'call.cut_off':      { blank: no,   going: true, ending: true, over: no },
  'call.finished':     { blank: no,   going: true, ending: true, over: no },
  'hold.opened':       { blank: no,   going: true, ending: true, over: no },
  'hold.decided':      { blank: no,   going: true, ending: true, over: no },
  'hold.voted':       { blank: no,   going: true, ending: true, over: no },
  'hold.unclear':     { blank: no,   going: true, ending: true, over: no },
  'hold.assigned':    { blank: no,   going: true, ending: true, over: no },
  'hold.reminded':    { blank: no,   going: true, ending: true, over: no },
  'hold.escalated':   { blank: no,   going: true, ending: true, over: no },
  'hold.expired':     { blank: no,   going: true, ending: true, over: no },
  'hold.withdrawn':    { blank: no,   going: true, ending: true, over: no },
  'step.ended':        { blank: no,   going: true, ending: true, over: no },
  // A fork adds a checkpoint after the copied events.
  'checkpoint.named':  { blank: no,   going: true, ending: true, over: true },
  'run.ending':        { blank: no,   going: true, ending: no,   over: no },
  'run.finished':      { blank: no,   going: true, ending: true, over: no },
  note:                { blank: no,   going: true, ending: true, over: true },
}

/** The fields that an event of each kind needs. */
const NEEDED: { readonly [K in EventKind]: readonly (keyof EventData[K] & string)[] } = {
  'thread.forked': [],
  'run.started': ['profile'],
  'run.configured': ['changes'],
  'message.received': ['content', 'author'],
  'message.queued': ['content', 'author', 'supersede'],
  'message.delivered': ['count'],
  'cancel.requested': ['by', 'reason'],
  'phase.passed': ['phase'],
  'plugin.set': ['plugin', 'state'],
  'step.started': [],
  'model.answered': ['text', 'calls', 'usage'],
  'answer.asked_again': ['because', 'message'],
  'model.unavailable': ['code', 'message', 'since', 'failures', 'retry_at'],
  'model.switched': ['from', 'to', 'code', 'message'],
  'context.repaired': ['provider', 'because', 'what', 'label', 'why'],
  'compaction.requested': ['by', 'keep'],
  'context.compacted': ['from', 'to', 'what', 'summary', 'tokens_before', 'tokens_after'],
  'call.gated': ['call_id'],
  'call.started': ['call_id', 'attempt'],
  'call.unclaimed': ['call_id', 'status'],
  'call.cut_off': ['call_id', 'because'],
  'call.finished': ['call_id', 'status', 'output', 'error'],
  'hold.opened': ['hold_id', 'kind', 'call_id', 'digest', 'because'],
  'hold.decided': ['hold_id', 'decision'],
  'hold.voted': ['hold_id', 'decision', 'have', 'need'],
  'hold.unclear': ['hold_id', 'by', 'text'],
  'hold.assigned': ['hold_id', 'assignee'],
  'hold.reminded': ['hold_id', 'number'],
  'hold.escalated': ['hold_id', 'level', 'assignee', 'due_at'],
  'hold.expired': ['hold_id', 'on_due', 'decision'],
  'hold.withdrawn': ['hold_id'],
  'step.ended': [],
  'checkpoint.named': ['checkpoint_id', 'reason'],
  'run.ending': ['termination'],
  'run.finished': ['termination'],
  note: [],
}

/** @throws Error for an event that is incomplete, of another run, or at the wrong stage of its run. */
export function assertMayFollow(thread: Thread, { kind, data, run_id }: JournalEvent): void {
  const missing = NEEDED[kind].find(key => (data as Readonly<Record<string, unknown>>)[key] === undefined)
  if (missing !== undefined) throw new Error(`it has no ${missing}`)
  const stage = stageOf(thread)
  if (!MAY_FOLLOW[kind][stage]) throw new Error(WHY_NOT[stage](thread.run?.id))
  if (kind === 'run.started' && thread.finished.has(run_id)) throw new Error(`run ${run_id} is finished already`)
  if (kind !== 'run.started' && thread.run && thread.run.id !== run_id) {
    throw new Error(`it is of run ${run_id}, but the newest one is ${thread.run.id}`)
  }
}

function stageOf({ run }: Thread): Stage {
  if (!run) return 'blank'
  if (run.termination) return 'over'
  return run.ending ? 'ending' : 'going'
}

const WHY_NOT: Record<Stage, (run: string | undefined) => string> = {
  blank: () => 'no run has started',
  going: run => `run ${run} is not finished`,
  ending: run => `run ${run} is about to end`,
  over: run => `run ${run} is finished already`,
}
