/** What becomes of a hold that nobody decides in time, for each agent whose settings say when that is. */
import { describeEffect } from '../../../core/deadlines/describe-due.ts'
import { objectionToTime } from '../../../core/deadlines/objection-to-time.ts'
import { isApprovalRequest } from '../../../core/hold/approval-request.ts'
import { decidersOf } from '../../../core/people/deciders.ts'
import { mayApproveItself, mergeDue, timingFrom } from '../../../core/people/due.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import type { Tool } from '../../../ports/agent/tool.ts'
import type { AgentDefinition } from '../../agents/define-agent.ts'
import { isModule, namedAgents } from '../../project/agent-files.ts'
import { peopleProfile } from '../../project/people-settings.ts'
import type { AgentScene } from './check-agents.ts'
import { type Finding, ok, warn } from './finding.ts'

const CHECK = 'deadlines'

/** An agent that cannot be read is a finding of its own check. */
export async function checkDeadlines({ site, isTrusted }: AgentScene): Promise<Finding[]> {
  const { directory, env, config, agents } = site
  const named = namedAgents({ root: config.root ?? directory, env }).filter(({ file }) => isTrusted || !isModule(file))
  const usual = await agents.definitionOf({ agent: 'default', agent_file: null })
  const read = named.map(({ file }) => agents.definitionOf({ agent: '', agent_file: file }).catch(() => null))
  const all = [usual, ...(await Promise.all(read))].filter(agent => agent !== null)
  return all.flatMap(agent =>
    ofAgent(agent, { due: peopleProfile(agent, config), tools: agents.ownTools(agent) ?? [] }),
  )
}

type People = ReturnType<typeof peopleProfile>

function ofAgent(
  { name }: Pick<AgentDefinition, 'name'>,
  { due: people, tools }: { readonly due: People; readonly tools: readonly Tool[] },
): Finding[] {
  const timed = tools.flatMap(tool => effectOn(tool, people) ?? [])
  if (timed.length === 0) return []
  const byEffect = Map.groupBy(timed, ({ effect }) => effect)
  const said = [...byEffect].map(([effect, of]) => `${of.map(({ tool }) => tool).join(', ')}: ${effect}`)
  const message = `${name}: ${said.join('; ')}`
  const isOther = timed.some(({ isApproval }) => isApproval === false)
  return [isOther ? warn(CHECK, message, OTHERWISE) : ok(CHECK, message)]
}

const OTHERWISE = 'Where time may not approve, its run is cancelled. Say `reject` or `escalate`, or leave it so.'

interface Timed {
  readonly tool: string
  readonly effect: string
  /** False if it was to approve, and may not; `null` if it was not to. */
  readonly isApproval: boolean | null
}

/** `null` if its calls wait without limit. */
function effectOn(tool: Tool, { due, deciders, groups, proven_groups }: People): Timed | null {
  const settings = mergeDue([tool.due, due])
  const { seconds = null } = settings
  if (seconds === null) return null
  const kind = tool.asks && !isApprovalRequest(tool.name) ? 'question' : 'approval'
  const named = tool.deciders ?? deciders
  const objection = objectionToTime({ kind, tool, needsPerson: false, deciders: named })
  const isWished = mayApproveItself(settings)
  const { destructive } = tool
  const effect = describeEffect({
    ...timingFrom(settings, groups, 0),
    ...{ kind, level: 0, destructive, deciders: decidersOf(named, groups, proven_groups) },
    ...(isWished && objection !== null && { not_by_time: objection }),
  })
  const after = `after ${durationText(seconds * 1000)} ${effect}`
  return { tool: tool.name, effect: after, isApproval: isWished ? objection === null : null }
}
