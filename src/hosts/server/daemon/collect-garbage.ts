import { realpathSync } from 'node:fs'
import type { Daemon } from '../../../core/fleet/daemon.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { agentSockets } from '../../compose/agents/agent-sockets.ts'
import type { App, ObservedStore } from '../../compose/compose.ts'
import { processLiveness } from '../../process/process-liveness.ts'
import { readConfig } from '../../project/project.ts'
import { homeOfWorktrees, orphanedWorktrees } from '../../worktree/orphaned-worktrees.ts'
import { openStoreOf } from './open-store-of.ts'

/** Remains of killed processes. */
export interface CollectedDocument {
  readonly dry_run: boolean
  /** Tasks whose process is gone, although a row still claims that it runs. */
  readonly presences: readonly string[]
  /** True for the row of a daemon that is gone. */
  readonly daemon: boolean
  /** Paths of worktrees in which no agent works any more. They are listed, and never removed by this. */
  readonly worktrees: readonly string[]
}

/** Nothing of an agent's work is removed: sessions go with `holdpoint prune`. */
export async function collectGarbage(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const dry_run = given.has('dry-run')
  await using app = await openStoreOf(context)
  const left = app === null ? NOTHING : await leftIn(app.store)
  if (app && !dry_run) await collect(app, left, context)
  const worktrees = app === null ? [] : await worktreesWithoutAgent(app, context)
  const document: CollectedDocument = { dry_run, presences: left.presences, daemon: left.daemon !== null, worktrees }
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

async function worktreesWithoutAgent(app: App, { directory, env }: CommandContext): Promise<readonly string[]> {
  const { root } = await readConfig(directory, env)
  return orphanedWorktrees(homeOfWorktrees(realpathSync(root ?? directory)), await worktreesInUse(app))
}

async function worktreesInUse({ holdpoint }: App): Promise<readonly string[]> {
  const leftovers: string[] = []
  let after: string | null = null
  do {
    const { agents, next } = await holdpoint.agents.list(after === null ? {} : { after })
    leftovers.push(...agents.flatMap(({ worktree }) => (worktree ? [worktree.path] : [])))
    after = next
  } while (after !== null)
  return leftovers
}

async function collect({ store, taskProcesses }: App, { daemon }: Left, { env }: CommandContext): Promise<void> {
  const sockets = agentSockets(store.location, env)
  if (daemon) await store.daemons.leave(daemon.process)
  if (sockets) await sweepSockets(store, sockets)
  await taskProcesses.sweepOutput()
}

function asText({ dry_run, presences, daemon, worktrees }: CollectedDocument): string {
  const gone = [...presences.map(id => `the row of a process of ${id}`), ...(daemon ? ['the row of a daemon'] : [])]
  const parts = [
    listed(dry_run ? 'Would remove:' : 'Removed:', gone),
    listed('No agent works in these worktrees. Look at them, then use `git worktree remove`:', worktrees),
  ]
  return parts.join('') || 'Killed processes left nothing behind.\n'
}

function listed(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${heading}\n${lines.map(line => `  ${line}\n`).join('')}`
}

type Sockets = Pick<NonNullable<ReturnType<typeof agentSockets>>, 'sweep'>

/** Removes what killed processes left: their sockets, and the rows that claim that they run. */
export async function sweepSockets(
  { presences, daemons }: Pick<ObservedStore, 'presences' | 'daemons'>,
  sockets: Sockets,
): Promise<void> {
  const names = processLiveness()
  const kept = new Set<string>()
  for (const { task_id, invocation, process, endpoint } of await presences.list())
    if (names.isGone(process)) await presences.leave({ task_id, invocation })
    else kept.add(endpoint)
  const daemon = await daemons.find()
  if (daemon) kept.add(daemon.endpoint)
  await sockets.sweep(kept)
}
