import { statSync } from 'node:fs'
import { RefusedError } from '../../core/errors.ts'
import { pendingTools } from '../../core/journal/may-run.ts'
import type { NextAction } from '../../core/next-action.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { refuseUnpriced } from '../../core/run/unpriced-models.ts'
import { refuseLeftOut } from '../../runtime/foreign/load-agent.ts'
import type { AgentRegistry, RegisteredAgent } from './agent-registry.ts'
import { refuseMissing } from './allowed-tools.ts'

interface Continued {
  /** The id of a run which continues in a place without another directory. */
  readonly runId?: string
  /** The calls of its step. */
  readonly calls?: Iterable<ToolCall> | undefined
}

/** Finds failures that can be known before anything is written. @throws RefusedError */
export async function rehearse(
  agents: AgentRegistry,
  profile: Profile,
  { runId, calls }: Continued = {},
): Promise<RegisteredAgent> {
  refuseUnpriced(profile)
  refuseMissingWorkdir(profile.workdir, runId === undefined ? NAMES_ANOTHER : { do: 'restore_workdir', id: runId })
  const agent = await agents.load(profile)
  refuseLeftOut(agent, pendingTools(calls))
  await agent.model()
  for (const model of profile.model_settings?.fallback_models ?? []) await agent.model(model)
  return agent
}

/** A new run has every tool that its agent names or chooses; an older one may have lost some. @throws RefusedError `unknown_tool` */
export async function rehearseStart(agents: AgentRegistry, profile: Profile): Promise<RegisteredAgent> {
  const agent = await rehearse(agents, profile)
  const { tools, missing } = agent
  const choice = profile.model_settings?.tool_choice
  const chosen = typeof choice === 'object' && !tools.has(choice.tool_name) ? [choice.tool_name] : []
  refuseMissing({ tools, missing: [...missing, ...chosen] })
  return agent
}

const NAMES_ANOTHER: NextAction = { do: 'name_workdir' }

/** @throws RefusedError `no_workdir` */
export function refuseMissingWorkdir(path: string, action: NextAction = NAMES_ANOTHER): void {
  if (!path.includes('\0') && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new RefusedError('no_workdir', `The working directory ${path} is not there.`, { action })
}
