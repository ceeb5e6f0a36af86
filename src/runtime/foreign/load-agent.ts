import type { Profile } from '../../core/run/profile.ts'
import type { LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { OpenControls } from '../../ports/agent/control.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { boundedTool } from './bounded-tool.ts'
import { type Reach, type Reaching, reachOf } from './reach-foreign.ts'

interface Loading {
  readonly controls?: OpenControls | undefined
  /** That of a run. Default: the time limit alone. */
  readonly reach?: Reach
  /** The names of tools that must not be missing only because their server cannot be used. */
  readonly needs?: readonly string[]
}

/**
 * The one door to agents: what their tools are asked before they run is bounded. `npm run check` refuses another way
 * (scripts/foreign-code.grit). @throws RefusedError
 */
export async function loadAgent(
  runtime: Pick<Runtime, 'agents'> & Reaching,
  profile: Profile,
  { controls, reach = reachOf(runtime), needs = [] }: Loading = {},
): Promise<LoadedAgent> {
  const agent = await runtime.agents.load(profile, controls)
  refuseLeftOut(agent, needs)
  return {
    ...agent,
    tools: new Map([...agent.tools].map(([name, tool]) => [name, boundedTool(reach, tool)])),
    model: other => agent.model(other),
    isCurrent: () => agent.isCurrent?.() ?? true,
  }
}

/** @throws RefusedError if a tool that is needed is missing only because its server cannot be used now */
export function refuseLeftOut({ leftOut = [] }: Pick<LoadedAgent, 'leftOut'>, needs: readonly string[]): void {
  const missed = leftOut.find(({ prefix }) => needs.some(name => name.startsWith(prefix)))
  if (missed) throw missed.error
}
