import type { Daemon } from '../../../core/fleet/daemon.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { CommandContext } from '../../command/command.ts'
import { agentSockets } from '../../compose/agent-sockets.ts'
import type { App } from '../../compose/compose.ts'
import { processLiveness } from '../../process/process-liveness.ts'
import { openStoreOf } from './open-store-of.ts'
import { sweepSockets } from './sweep-sockets.ts'

/** What killed processes left behind. */
export interface CollectedDocument {
  readonly dry_run: boolean
  /** Tasks whose process is gone, although a row says that it is there. */
  readonly presences: readonly string[]
  /** True for the row of a daemon that is gone. */
  readonly daemon: boolean
}

/** Nothing of an agent's work is removed: sessions go with `holdpoint prune`. */
export async function collectGarbage(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const dry_run = given.has('dry-run')
  await using app = await openStoreOf(context)
  const left = app === null ? NOTHING : await leftIn(app.store)
  if (app && !dry_run) await collect(app, left, context)
  const document: CollectedDocument = { dry_run, presences: left.presences, daemon: left.daemon !== null }
  io.out(json ? jsonLine(document) : asText(document))
  return 0
}

interface Left extends Pick<CollectedDocument, 'presences'> {
  readonly daemon: Daemon | null
}

const NOTHING: Left = { presences: [], daemon: null }

async function leftIn({ presences, daemons }: App['store']): Promise<Left> {
  const names = processLiveness()
  const gone = (await presences.list()).filter(({ process }) => names.isGone(process))
  const daemon = await daemons.find()
  return {
    presences: gone.map(({ task_id }) => task_id),
    daemon: daemon && names.isGone(daemon.process) ? daemon : null,
  }
}

async function collect({ store, taskProcesses }: App, { daemon }: Left, { env }: CommandContext): Promise<void> {
  const sockets = agentSockets(store.location, env)
  if (daemon) await store.daemons.leave(daemon.process)
  if (sockets) await sweepSockets(store, sockets)
  await taskProcesses.sweepOutput()
}

function asText({ dry_run, presences, daemon }: CollectedDocument): string {
  const lines = [...presences.map(id => `the row of a process of ${id}`), ...(daemon ? ['the row of a daemon'] : [])]
  if (lines.length === 0) return 'Killed processes left nothing behind.\n'
  return `${dry_run ? 'Would remove' : 'Removed'}:\n${lines.map(line => `  ${line}\n`).join('')}`
}
