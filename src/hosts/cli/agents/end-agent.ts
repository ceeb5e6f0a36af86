import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { actor } from '../../process/actor.ts'
import { removeWorktree } from '../../worktree/remove-worktree.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { calledAs, standingText } from './agent-text.ts'

export async function killAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  const named = onlyWord(words, 'agents kill AGENT')
  await using app = await openForReading(context)
  const killed = await app.holdpoint.agents.kill(named, {
    ...{ by: actor(env), surface: 'cli' },
    reason: given.value('reason'),
  })
  io.out(json ? jsonLine(killed) : standingText(killed))
  return 0
}

/** The row of an agent and its worktree. Its session stays, and so does all work in the worktree unless it is discarded. */
export async function removeAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  const named = onlyWord(words, 'agents rm AGENT')
  await using app = await openForReading(context)
  const agent = await app.holdpoint.agents.find(named)
  const discard = given.has('discard')
  const worktree = agent.worktree !== null && !(await isShared(app, agent)) ? agent.worktree : null
  // Looked at before the row goes: a refusal leaves both.
  await removalOf(worktree, discard, true)
  const removed = await app.holdpoint.agents.remove(agent.id, { by: actor(env), surface: 'cli' })
  await removalOf(worktree, discard, false)
  io.out(json ? jsonLine(removed) : removedText(removed, worktree !== null))
  return 0
}

async function removalOf(worktree: AgentSummary['worktree'], discard: boolean, dryRun: boolean): Promise<void> {
  if (worktree === null) return
  await removeWorktree(worktree, { discard, dryRun })
}

/** One that was started anew works in the worktree of the one before. */
async function isShared({ holdpoint }: App, agent: AgentSummary): Promise<boolean> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await holdpoint.agents.list(after === undefined ? {} : { after })
    if (page.agents.some(({ id, worktree }) => id !== agent.id && worktree?.path === agent.worktree?.path)) return true
    after = page.next
  }
  return false
}

function removedText(agent: AgentSummary, withWorktree: boolean): string {
  const branch = withWorktree && agent.worktree ? `, with its worktree and the branch ${agent.worktree.branch}` : ''
  return `${calledAs(agent)} is off the list${branch}. Its session stays: \`holdpoint threads show ${agent.session_id}\`.\n`
}
