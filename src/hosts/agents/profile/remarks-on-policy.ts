/** Finds lines of a policy without effect: rules that cannot match are of no use. */

import type { Policy } from '../../../core/policy/policy.ts'
import { DEFAULT_POLICY } from '../../../core/policy/read-policy.ts'
import { policyRemarks } from '../../../core/policy/remarks/policy-remarks.ts'
import { isDead, type KnownTools, type PolicyRemark } from '../../../core/policy/remarks/remark.ts'
import type { Profile } from '../../../core/run/profile.ts'
import { toolPrefix } from '../../../core/settings/mcp-servers.ts'
import type { Tool } from '../../../ports/agent/tool.ts'
import type { Ruled } from '../../../runtime/policy/ruling.ts'
import { triedRemarks } from '../../../runtime/policy/tried-remarks.ts'
import { isModule, namedAgents } from '../../project/agent-files.ts'
import { agentFileRefusals } from '../../refusals/agent-file-refusals.ts'
import { rehearseStart } from '../rehearse.ts'
import type { ProfileDeps } from './run-profile.ts'

/** The tools other than those of Holdpoint that the policy is known to reach. */
export interface InReach {
  readonly tools: Iterable<Tool>
  /** The files of the agents whose tools these are. */
  readonly agentFiles: readonly (string | null)[]
  /** True if clients may bring tools of their own: then an unknown name is not called wrong. */
  readonly forClients?: boolean
}

const NONE: InReach = { tools: [], agentFiles: [] }

/** The remarks in the order of the lines; nothing about a default policy that nobody wrote. */
export async function remarksOnPolicy(
  deps: ProfileDeps,
  ruled: Ruled,
  inReach: InReach = NONE,
): Promise<readonly PolicyRemark[]> {
  const { policy } = ruled
  if (policy === DEFAULT_POLICY) return []
  const own = await deps.agents.ownToolsOfHoldpoint()
  // Only our own tools are asked: to read a policy runs no code of a project.
  return triedRemarks(ruled, own, policyRemarks(policy, knownTools(deps, own, inReach)))
}

function knownTools({ config, directory, env }: ProfileDeps, own: readonly Tool[], inReach: InReach): KnownTools {
  const tools = new Map([...inReach.tools, ...own].map(tool => [tool.name, tool]))
  const modules = namedAgents({ root: config.root ?? directory, env }).filter(({ file }) => isModule(file))
  return {
    tools: [...tools.values()],
    prefixes: Object.keys(config.mcp_servers ?? {}).map(toolPrefix),
    isComplete: inReach.forClients !== true && modules.every(({ file }) => inReach.agentFiles.includes(file)),
  }
}

/**
 * Does what `rehearseStart` does, and checks the policy: the remarks are for the person who starts the run. @throws
 * RefusedError, `dead_rules` if the policy is strict and a line of it does nothing
 */
export async function rehearsePolicy(
  deps: ProfileDeps,
  profile: Profile,
  more: Pick<InReach, 'forClients'> = {},
): Promise<readonly PolicyRemark[]> {
  const { tools } = await rehearseStart(deps.agents, profile)
  const inReach = { ...more, tools: tools.values(), agentFiles: [profile.agent_file] }
  const remarks = await remarksOnPolicy(deps, profile, inReach)
  refuseDead(profile.policy, remarks)
  return remarks
}

/** @throws RefusedError `dead_rules` */
export function refuseDead({ strict }: Policy, remarks: readonly PolicyRemark[]): void {
  const [first, ...more] = strict ? remarks.filter(isDead) : []
  if (!first) return
  const others = more.length === 0 ? '' : ` ${more.length} more: ${more.map(({ place }) => place).join(', ')}.`
  throw agentFileRefusals.deadRules(first.place, first.message, others, first.hint)
}
