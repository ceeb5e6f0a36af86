import { RefusedError } from '../core/errors.ts'
import type { JournalEvent, NewEvent } from '../core/event.ts'
import { fold } from '../core/fold.ts'
import type { NewHold } from '../core/hold.ts'
import { openHolds, type Run, runStatus } from '../core/thread.ts'
import { checkpointId } from './checkpoint-id.ts'
import { eventsUpTo, loadCheckpoint } from './load-checkpoint.ts'
import type { Runtime } from './runtime.ts'

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
  if (!state.run || !origin)
    throw new RefusedError('unknown_checkpoint', `Nothing had started yet at checkpoint ${checkpoint}.`)

  const thread_id = runtime.ids.next('thread')
  const names = await newNames(runtime, state.run)
  const checkpoint_id = checkpointId(thread_id, runtime.ids.next('checkpoint'))
  const run_id = names.get(state.run.id) ?? state.run.id
  const written = await runtime.store.start({
    run: { id: run_id, agent: state.run.profile.agent, hold_scope: state.run.profile.hold_scope },
    thread_id,
    after: 0,
    status: runStatus(state.run),
    ended: state.run.termination?.type ?? null,
    checkpoint_id,
    opens: await reopened(runtime, state.run, names),
    events: [
      { kind: 'thread.forked', run_id, data: { thread_id: state.id, checkpoint_id: checkpoint } },
      ...past.map(event => renamed(event, names)),
      {
        kind: 'checkpoint.named',
        run_id,
        data: { checkpoint_id, reason: origin.reason, active_ms: state.run.counters.active_ms },
      },
    ],
  })
  for (const event of written) runtime.tell(event)
  return { run_id, thread_id, checkpoint_id, names }
}

async function newNames(runtime: Runtime, run: Run): Promise<Map<string, string>> {
  const holds = openHolds(run).map(({ id }): [string, string] => [id, runtime.ids.next('hold')])
  return new Map([[run.id, runtime.ids.next('run')], ...holds])
}

async function reopened(runtime: Runtime, run: Run, names: ReadonlyMap<string, string>): Promise<NewHold[]> {
  const rows = await Promise.all(openHolds(run).map(({ id }) => runtime.store.hold(id)))
  return rows.flatMap(row => {
    if (!row) return []
    const { status, thread_id, opened_at, decision, ...asked } = row
    return [{ ...asked, id: names.get(row.id) ?? row.id, run_id: names.get(run.id) ?? run.id }]
  })
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
