import type { Hold, NewHold } from '../../core/hold/hold.ts'
import { releaseOf } from '../../core/hold/release.ts'
import { type JournalEvent, type NewEvent, plainEvent } from '../../core/journal/event.ts'
import { fold } from '../../core/journal/fold.ts'
import { type HoldState, openHolds, type Run, runStatus } from '../../core/journal/thread.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import { movedAway } from '../../core/run/exported.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Start } from '../../ports/store/runs.ts'
import { checkpointId } from '../views/checkpoint-id.ts'
import { eventsUpTo, loadCheckpoint } from '../views/load-checkpoint.ts'

/** The run that begins at the checkpoint, in a thread of its own. */
export interface Forked {
  readonly run_id: string
  readonly thread_id: string
  readonly checkpoint_id: string
  /** New names of what was open, by the old ones. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * A new thread with the journal of the old one up to a checkpoint, and the same things open. The old one is not touched.
 * The run, its open holds and the checkpoint get new names.
 */
export async function forkThread(runtime: Runtime, checkpoint: string): Promise<Forked> {
  const past = eventsUpTo(await loadCheckpoint(runtime.store, checkpoint))
  const state = fold(past[0]?.thread_id ?? '', past)
  const origin = state.run?.checkpoint
  if (!state.run || !origin) throw runRefusals.nothingStartedYet(checkpoint)
  await refuseMoved(runtime, state.id)

  const thread_id = runtime.ids.next('thread')
  const names = newNames(runtime, state.run)
  const checkpoint_id = checkpointId(thread_id, runtime.ids.next('checkpoint'))
  const run_id = names.get(state.run.id) ?? state.run.id
  const { reason } = origin
  const again = await askedAgain(runtime, state.run, run_id)
  const events: NewEvent[] = [
    { kind: 'thread.forked', run_id, data: { thread_id: state.id, checkpoint_id: checkpoint } },
    ...past.map(event => renamed(event, names)),
    ...again.map(({ event }) => event),
    { kind: 'checkpoint.named', run_id, data: { checkpoint_id, reason, active_ms: state.run.counters.active_ms } },
  ]
  const written = await runtime.store.start({
    // The forking caller takes it over: the agent that started the old run waits for that one.
    run: { id: run_id, agent: state.run.profile.agent, hold_scope: state.run.profile.hold_scope },
    thread_id,
    after: 0,
    ...statusAfter(thread_id, events),
    checkpoint_id,
    opens: [...(await reopened(runtime, state.run, names)), ...again.map(({ hold }) => hold)],
    events: events.map(event => plainEvent(event)),
    copied: 1 + past.length,
  })
  for (const event of written) runtime.tell(event)
  return { run_id, thread_id, checkpoint_id, names }
}

/** P3: a copy of a moved run's waiting calls could run here as well as there. @throws RefusedError `exported` */
async function refuseMoved({ store }: Runtime, thread_id: string): Promise<void> {
  const [newest] = await store.runs({ thread_id, limit: 1 })
  if (newest?.exported) throw movedAway(newest.exported)
}

function statusAfter(thread_id: string, events: readonly NewEvent[]): Pick<Start, 'status' | 'ended'> {
  const at = new Date(0).toISOString()
  const { run } = fold(
    thread_id,
    events.map((event, index) => ({ ...event, seq: index + 1, at, thread_id })),
  )
  return { status: run ? runStatus(run) : 'running', ended: run?.termination?.type ?? null }
}

interface AskedAgain {
  readonly hold: NewHold
  readonly event: Extract<NewEvent, { kind: 'hold.opened' }>
}

/** P1: an unused approval belongs to the original run; the fork asks for it again. */
async function askedAgain(runtime: Runtime, run: Run, run_id: string): Promise<AskedAgain[]> {
  const unused = [...(run.step?.calls.values() ?? [])].flatMap(call => {
    const hold = call.status === 'resuming' && call.hold_id !== null ? run.holds.get(call.hold_id) : undefined
    return hold ? [{ call, hold }] : []
  })
  const asked = await Promise.all(unused.map(each => askAgain(runtime, each, run_id)))
  return asked.filter(each => each !== null)
}

async function askAgain(
  runtime: Runtime,
  { call, hold }: { call: ToolCall; hold: HoldState },
  run_id: string,
): Promise<AskedAgain | null> {
  const { kind, plugin, resume_mode, decision } = hold
  const row = await runtime.store.hold(hold.id)
  if (!row || !decision || kind === 'input' || releaseOf(kind, decision, resume_mode).act !== 'run') return null
  const asked = askedNow(row, runtime.clock.now())
  const id = runtime.ids.next('hold')
  const digest = decision.digest ?? row.digest
  const about = { kind, call_id: call.id, digest, resume_mode }
  return {
    hold: { ...asked, ...about, id, run_id, arguments: call.final_arguments },
    event: {
      kind: 'hold.opened',
      run_id,
      data: {
        ...about,
        hold_id: id,
        status: 'suspended',
        plugin,
        because: 'it was released in the thread that this one was forked from',
      },
    },
  }
}

function newNames(runtime: Runtime, run: Run): Map<string, string> {
  const holds = openHolds(run).map(({ id }): [string, string] => [id, runtime.ids.next('hold')])
  return new Map([[run.id, runtime.ids.next('run')], ...holds])
}

async function reopened(runtime: Runtime, run: Run, names: ReadonlyMap<string, string>): Promise<NewHold[]> {
  const rows = await Promise.all(openHolds(run).map(({ id }) => runtime.store.hold(id)))
  return rows.flatMap(row => {
    if (!row) return []
    return [
      { ...askedNow(row, runtime.clock.now()), id: names.get(row.id) ?? row.id, run_id: names.get(run.id) ?? run.id },
    ]
  })
}

/** People have the time that they had, from now on: a fork of what waited for long is not overdue at once. */
function askedNow(row: Hold, now: number): NewHold {
  const { status, thread_id, opened_at, decision, reminded, votes, ...asked } = row
  const later = (time: string) => new Date(Date.parse(time) + now - Date.parse(opened_at)).toISOString()
  const asking = row.escalation[row.level - 1]
  const due_at = asking ? new Date(now + asking.seconds * 1000).toISOString() : row.due_at && later(row.due_at)
  return { ...asked, due_at, remind_at: row.remind_at.map(later) }
}

function renamed(event: JournalEvent, names: ReadonlyMap<string, string>): NewEvent {
  const { kind, data, run_id } = event
  const hold_id = 'hold_id' in data ? names.get(data.hold_id) : undefined
  return {
    kind,
    run_id: names.get(run_id) ?? run_id,
    data: hold_id === undefined ? data : { ...data, hold_id },
  } as NewEvent
}
