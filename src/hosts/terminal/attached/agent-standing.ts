import { AGENT_IS_OVER, type AgentStatus } from '../../../core/fleet/agent-status.ts'
import type { StatusFrame, WelcomeFrame } from '../../../core/fleet/frames.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { Presence } from '../conversation/conversation.ts'

const WORKS: ReadonlySet<AgentStatus> = new Set(['queued', 'spawning', 'running', 'killing'])

/** How one goes on from a status in which no process is there: in the status line, and as a sentence. */
const WAYS_ON: Partial<Record<AgentStatus, readonly [short: string, sentence: string]>> = {
  waiting: ['a decision goes on', 'Your decision starts its next process.'],
  parked: ['a message goes on', 'Your next message starts its process.'],
  done: ['a message goes on', 'Your next message goes on with it.'],
  crashed: ['/resume goes on', '/resume goes on with its journal.'],
}

/** As its process tells it: while it works, the clock tells. */
export function standingIn({ status, role, writer, clients }: WelcomeFrame | StatusFrame): Partial<Presence> {
  const work = WORKS.has(status) ? 'here' : 'none'
  return { work, role, writer, clients, standing: status === 'idle' || AGENT_IS_OVER[status] ? status : null }
}

/** As the store tells it, without a process: then no client is attached. */
export function standingOf({ status }: Pick<AgentSummary, 'status'>): Partial<Presence> {
  const [short] = WAYS_ON[status] ?? []
  const standing = short === undefined ? status : `${status}: ${short}`
  return { work: WORKS.has(status) ? 'here' : 'none', role: 'writer', writer: null, clients: 0, standing }
}

/** For the person, once the process of an agent is gone; `null` while the next one is about to come. */
export function goneText({ status, because }: Pick<AgentSummary, 'status' | 'because'>, called: string): string | null {
  if (WORKS.has(status)) return null
  const [, sentence] = WAYS_ON[status] ?? []
  return `${called} is ${status}: ${because}.${sentence === undefined ? '' : ` ${sentence}`}`
}
