import type { StoreLocation } from '../../ports/store/store-location.ts'
import { startDetached } from '../../tasks/start-supervisor.ts'
import { ownProgram } from '../process/own-program.ts'

interface DaemonStart {
  readonly location: StoreLocation
  /** The directory of the project, absolute. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The process that starts it, as `ProcessNames` names it. */
  readonly starter: string
}

/** The verb that started a daemon, by its process. */
export const STARTED_BY = 'HOLDPOINT_STARTED_BY'

/** Variables that are true of the starter alone: a daemon signs as its user, and belongs to no task and no agent. */
const LEFT_BEHIND = [
  'HOLDPOINT_ACTOR',
  'HOLDPOINT_COMMAND_IDS',
  'HOLDPOINT_SERVER',
  'HOLDPOINT_TASK',
  'HOLDPOINT_TOKEN',
]

/** Starts a daemon that outlives this process; resolves to its id. @throws the system's error */
export async function startDaemon({ location, directory, env, starter }: DaemonStart): Promise<number> {
  const { argv, environment } = location.handOver
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !LEFT_BEHIND.includes(name)))
  const program = [process.execPath, ownProgram('bin'), 'daemon', ...argv]
  return startDetached(program, { environment: { ...kept, ...environment, [STARTED_BY]: starter }, directory })
}
