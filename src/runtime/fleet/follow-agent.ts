/** Follows an agent without being attached to its process. */
import { eachChange } from '../../async/each-change.ts'
import { merged } from '../../async/merged.ts'
import { NEVER } from '../../async/on-abort.ts'
import { A_COUNT, A_SIGNAL, checkFields, type Rules } from '../../core/given-fields.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { watchesOf } from '../agent-tasks/wait-for-tasks.ts'
import type { AgentHoldsNews, AgentNews, AgentStatusNews, FollowAgentOptions } from '../face/agents.ts'
import type { SeenAgent } from './look-at-agent.ts'

/** Shorter than a person notices. A model that speaks makes many commits. */
const REST_MS = 100
/** A killed process reports nothing, so the rows are read at least this often. */
const SAFETY_MS = 2_000

const OPTIONS: Rules<FollowAgentOptions> = { since: A_COUNT, signal: A_SIGNAL }

/**
 * Gives the agent's status and all its open holds, then the events of its session after `since`, and each change of the
 * two. Continues after the agent is over: a message may begin its next run. @throws RefusedError `invalid_arguments`
 */
export async function* followAgent(
  deps: AgentTasksDeps,
  look: () => Promise<SeenAgent>,
  options: FollowAgentOptions,
): AsyncGenerator<AgentNews, void, undefined> {
  const { since = 0, signal = NEVER } = checkFields('agents.follow', options, OPTIONS)
  const over = new AbortController()
  const ends = AbortSignal.any([signal, over.signal])
  const seen = await look()
  const told = new ToldAgent()
  yield* told.news(seen)
  const { session_id } = seen.summary
  try {
    const changes = changesOf(deps, { look, told, signal: ends })
    const events = session_id === null ? [] : [deps.holdpoint.follow(session_id, { since, signal: ends })]
    yield* merged<AgentNews>(changes, ...events)
  } finally {
    over.abort()
  }
}

interface Watched {
  readonly look: () => Promise<SeenAgent>
  readonly told: ToldAgent
  readonly signal: AbortSignal
}

async function* changesOf(deps: AgentTasksDeps, { look, told, signal }: Watched): AsyncGenerator<AgentNews> {
  const times = { restMs: REST_MS, safetyMs: SAFETY_MS }
  for await (const _ of eachChange({ clock: deps.clock, watches: watchesOf(deps), signal, ...times })) {
    if (signal.aborted) return
    yield* told.news(await look())
  }
}

/** The state that was reported last, so that only news is reported. */
class ToldAgent {
  #status = ''
  #holds = ''

  news(seen: SeenAgent): readonly AgentNews[] {
    const [status, holds] = [statusNews(seen), holdsNews(seen)]
    const [nowStatus, nowHolds] = [JSON.stringify(withoutTimes(status)), JSON.stringify(holds)]
    const news = [...(nowStatus === this.#status ? [] : [status]), ...(nowHolds === this.#holds ? [] : [holds])]
    this.#status = nowStatus
    this.#holds = nowHolds
    return news
  }
}

function statusNews({ summary }: SeenAgent): AgentStatusNews {
  return { kind: 'agent.status', agent: summary }
}

function holdsNews({ holds }: SeenAgent): AgentHoldsNews {
  return { kind: 'agent.holds', holds }
}

/** These change with each step, and are reported only with other changes. */
function withoutTimes({ agent }: AgentStatusNews): object {
  return { ...agent, updated_at: null, checkpoint_id: null }
}
