import { Alarm } from '../../async/alarm.ts'
import { HOST_BEAT_MS } from '../../core/fleet/fleet-host.ts'
import type { Task } from '../../core/task/task.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Family, ProcessFamilies } from '../../ports/process/process-families.ts'
import type { ProcessNames } from '../../ports/process/process-names.ts'
import type { TaskRegistry } from '../../ports/store/fleet/task-registry.ts'
import type { CommandExit } from './command-process.ts'

/** How a command ended. `superseded`: the row belongs to another supervisor by now. */
export type Ending = 'exited' | 'timed_out' | 'cancelled' | 'superseded'

/** A caller that cancels a command wakes its supervisor. This is for callers that cannot. */
const LOOK_MS = 5_000

interface EndNeeds {
  readonly registry: TaskRegistry
  readonly clock: Clock
  readonly families: ProcessFamilies
  readonly names: Pick<ProcessNames, 'beats'>
  readonly onWake: (listener: () => void) => void
}

export interface RunningCommand {
  readonly task: Task
  readonly supervisor: string
  readonly command: { readonly exit: Promise<CommandExit> }
  readonly family: Family
}

/** Resolves when the command has exited, or is to be stopped. */
export async function endOfCommand(needs: EndNeeds, running: RunningCommand): Promise<Ending> {
  const over = new AbortController()
  try {
    const exited = running.command.exit.then((): Ending => 'exited')
    return await Promise.race([
      exited,
      timeout(needs.clock, running.task, over.signal),
      order(needs, running, over.signal),
    ])
  } finally {
    over.abort()
  }
}

async function timeout(clock: Clock, { timeout_ms }: Task, signal: AbortSignal): Promise<Ending> {
  if (timeout_ms === null) return new Promise(() => {})
  // Aborted early: the race has another winner.
  await clock.sleep(timeout_ms, signal).catch(() => new Promise(() => {}))
  return 'timed_out'
}

/**
 * Waits for an order in the row. If this process is stopped without an order, it passes the signal on and watches the
 * command.
 */
async function order(needs: EndNeeds, running: RunningCommand, signal: AbortSignal): Promise<Ending> {
  const { registry, clock, families, onWake } = needs
  const beat = beats(needs, running)
  const alarm = new Alarm(clock)
  let wakes = 0
  onWake(() => {
    wakes++
    alarm.ring()
  })
  for (let passed = 0; !signal.aborted; ) {
    alarm.reset()
    const woken = wakes
    const ordered = orderIn(await registry.task(running.task.id).catch(() => running.task), running)
    if (ordered) return ordered
    if (woken > passed && !signal.aborted) families.signal({ ...running.family, mark: null }, 'SIGTERM')
    passed = woken
    await beat()
    await alarm.sleepUntil(clock.now() + LOOK_MS, signal)
  }
  return new Promise(() => {})
}

/** Processes of this host in another container hear of it: they cannot look at this one. */
function beats({ registry, clock, names }: EndNeeds, { task, supervisor }: RunningCommand): () => Promise<void> {
  let last = clock.now()
  return async () => {
    if (!names.beats || clock.now() - last < HOST_BEAT_MS) return
    last = clock.now()
    const place = { task_id: task.id, invocation: task.invocation.n, from: ['running'], supervisor } as const
    // If the store is away, the next beat reports it.
    await registry.move({ ...place, change: { supervisor } }).catch(() => {})
  }
}

/** A row that cannot be read orders nothing. */
function orderIn(row: Task | null, { task, supervisor }: RunningCommand): Ending | null {
  const isOurs =
    row?.invocation.n === task.invocation.n && row.status === 'running' && row.invocation.supervisor === supervisor
  if (!isOurs) return 'superseded'
  return row.cancel_requested_by === null ? null : 'cancelled'
}
