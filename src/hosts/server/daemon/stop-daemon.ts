import { eachChange } from '../../../async/each-change.ts'
import type { Daemon } from '../../../core/fleet/daemon.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { livingDaemon } from '../../daemon/find-daemon.ts'
import { processLiveness } from '../../process/process-liveness.ts'
import { systemClock } from '../../process/system-clock.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'
import type { DaemonStopped } from './daemon-document.ts'
import { openStoreOf } from './open-store-of.ts'

/** Longer than the grace of what it advances. */
const PATIENCE_MS = 40_000
/** A daemon that reads its wish takes no longer. */
const HANGS_AFTER_MS = 5_000
const LOOK_MS = 100

type Way = 'stop' | 'drain' | 'kill'

/** Resolves once it is gone. Agents live on: each has a process of its own. */
export async function stopDaemon(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const way = wayIn(given.has('drain'), given.has('kill'))
  await using app = await openStoreOf(context)
  const stopped = app !== null && (await stop(app, way))
  if (json) io.out(jsonLine({ stopped } satisfies DaemonStopped))
  else io.out(stopped ? 'The daemon has ended. Agents that run go on.\n' : 'No daemon runs.\n')
  return 0
}

/** False if none ran. */
async function stop(app: App, way: Way): Promise<boolean> {
  const daemon = await livingDaemon(app.store)
  if (daemon === null || !(await ask(app, daemon, way))) return false
  await untilGone(app, daemon, way)
  return true
}

function wayIn(drains: boolean, kills: boolean): Way {
  if (drains && kills) throw serverRefusals.drainAndKill()
  if (drains) return 'drain'
  return kills ? 'kill' : 'stop'
}

/** False if it ended meanwhile. */
async function ask({ store }: App, daemon: Daemon, way: Way): Promise<boolean> {
  if (way !== 'stop') return (await store.daemons.askToStop(daemon.process, way)) !== null
  if (!signal(daemon, 'SIGTERM')) throw serverRefusals.outOfReach(daemon.process)
  return true
}

/** Never a process of which it is not certain that it is the daemon. */
function signal({ process: name }: Daemon, what: 'SIGTERM' | 'SIGKILL'): boolean {
  const running = processLiveness().find(name)
  if (running === null) return false
  try {
    return process.kill(running.pid, what)
  } catch {
    return false
  }
}

async function untilGone({ store }: App, daemon: Daemon, way: Way): Promise<void> {
  const names = processLiveness()
  const asked = systemClock.steady()
  const deadline = way === 'drain' ? Number.POSITIVE_INFINITY : asked + PATIENCE_MS
  const watches = [(onChange: () => void) => store.tasks.watch(onChange)]
  for await (const _ of eachChange({ clock: systemClock, watches, deadline, safetyMs: LOOK_MS })) {
    if ((await store.daemons.find())?.process !== daemon.process || names.isGone(daemon.process)) return
    if (way === 'kill' && systemClock.steady() > asked + HANGS_AFTER_MS) signal(daemon, 'SIGKILL')
  }
  throw serverRefusals.daemonNotStopped()
}
