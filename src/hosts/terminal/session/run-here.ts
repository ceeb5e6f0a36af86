import type { CommandContext } from '../../command/command.ts'
import type { CheckSite } from './check-call.ts'
import type { OpenedChat } from './open-chat.ts'
import { runWithin } from './run-within.ts'

/** An open chat: its app, its agents and its conversation. */
export type Here = Pick<OpenedChat, 'app' | 'agents' | 'conversation'>

export async function checkSiteOf({ app, agents, conversation: { sessionId, profile } }: Here): Promise<CheckSite> {
  return { app: app.isOpen ? await app.open() : null, agents, sessionId, profile }
}

/** Another command of Holdpoint as a chat runs it; a check of policy is about the chat's own session. @throws RefusedError */
export async function runHere(
  context: CommandContext,
  site: () => Promise<CheckSite | null>,
  words: readonly string[],
): Promise<string> {
  const [name, verb, ...rest] = words
  const here = name === 'policy' && verb === 'check' ? await site() : null
  if (here) return (await import('./check-call.ts')).checkCall(here, rest)
  return runWithin(context, words)
}
