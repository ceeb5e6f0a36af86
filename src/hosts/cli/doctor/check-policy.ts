/** The project's policy: what its lines say, and which of them do nothing. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeEffect } from '../../../core/deadlines/describe-due.ts'
import { objectionToTime } from '../../../core/deadlines/objection-to-time.ts'
import { isApprovalRequest } from '../../../core/hold/approval-request.ts'
import { decidersOf } from '../../../core/people/deciders.ts'
import { mayApproveItself, mergeDue, timingFrom } from '../../../core/people/due.ts'
import { isDead, type PolicyRemark } from '../../../core/policy/remarks/remark.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import type { Tool } from '../../../ports/agent/tool.ts'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import type { AgentDefinition } from '../../agents/define-agent.ts'
import { type InReach, remarksOnPolicy } from '../../agents/profile/remarks-on-policy.ts'
import type { ProfileDeps } from '../../agents/profile/run-profile.ts'
import { inspectStore } from '../../compose/inspect-store.ts'
import { isModule, namedAgents } from '../../project/agent-files.ts'
import { peopleProfile } from '../../project/people-settings.ts'
import { type ConfiguredDirectory, readProjectPolicy } from '../../project/project.ts'
import type { AgentScene } from './check-agents.ts'
import { type Finding, fail, failure, ok, warn } from './finding.ts'

const CHECK = 'policy'

/** `scene` is `null` if the configuration cannot be read: then the policy is read alone. */
export async function checkPolicy(directory: string, scene: AgentScene | null): Promise<readonly Finding[]> {
  try {
    const policy = await readProjectPolicy(directory)
    if (policy === null) return [ok(CHECK, 'none: reading is free, and everything else asks')]
    const count = Object.keys(policy.tools).length + policy.rules.length
    const read = ok(CHECK, `policy.json, ${count} rules, default ${policy.default}`)
    if (scene === null) return [read]
    const remarks = await remarksOnPolicy(scene.site, { policy, workdir: directory }, await toolsOfAgents(scene))
    return [read, ...remarks.map(remark => findingOf(remark, policy.strict === true))]
  } catch (thrown) {
    return [failure(CHECK, thrown)]
  }
}

/** A strict policy starts no run with such a line. */
function findingOf(remark: PolicyRemark, isStrict: boolean): Finding {
  const { place, message, hint } = remark
  const finding = isStrict && isDead(remark) ? fail : warn
  return finding(CHECK, `${place}: ${message}`, hint)
}

/** Tools that modules bring, if they may be loaded. The check of agents reports what cannot be loaded. */
async function toolsOfAgents({ site, isTrusted }: AgentScene): Promise<InReach> {
  const files = isTrusted ? modulesOf(site) : []
  const tools: Tool[] = []
  const agentFiles: string[] = []
  for (const agent_file of files) {
    const agent = await site.agents.definitionOf({ agent: '', agent_file }).catch(() => null)
    if (agent === null) continue
    agentFiles.push(agent_file)
    tools.push(...(agent.tools ?? []).filter(tool => typeof tool !== 'string'))
  }
  return { tools, agentFiles }
}

function modulesOf({ config, directory, env }: ProfileDeps): readonly string[] {
  const named = namedAgents({ root: config.root ?? directory, env })
  return named.map(({ file }) => file).filter(isModule)
}

/** The check of deadlines: for each agent with one, the effect on a hold that nobody decides in time. */
const DEADLINES = 'deadlines'

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
  const effects = [...byEffect].map(([effect, of]) => `${of.map(({ tool }) => tool).join(', ')}: ${effect}`)
  const message = `${name}: ${effects.join('; ')}`
  const isOther = timed.some(({ isApproval }) => isApproval === false)
  return [isOther ? warn(DEADLINES, message, OTHERWISE) : ok(DEADLINES, message)]
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

/** Whether notices reach people, and whether some were not sent. Sends nothing. */
export async function checkNotices({
  config: { notify },
  env,
  directory,
  store,
}: ConfiguredDirectory & { readonly store: string }): Promise<Finding> {
  const failed = await failedNotices(store, directory)
  if (failed > 0)
    return warn(
      'notices',
      `${failed} ${failed === 1 ? 'notice was' : 'notices were'} given up`,
      'See `holdpoint notices --failed`, and retry them.',
    )
  if (notify === null) return ok('notices', 'people are told nothing: there are no notify.channels')
  try {
    const { readChannels } = await import('../../compose/notices/notifiers.ts')
    await readChannels(notify, env)
  } catch (thrown) {
    return failure('notices', thrown)
  }
  const { webhook, command, terminal, ...others } = notify.channels
  const named = [webhook.length > 0 && 'webhook', command.length > 0 && 'command', terminal && 'terminal']
  const rest = Object.entries(others).map(([kind, settings]) => settings !== null && kind)
  return ok('notices', `by ${[...named, ...rest].filter(kind => kind !== false).join(', ') || 'no channel'}`)
}

async function failedNotices(url: string, directory: string): Promise<number> {
  const { file } = new StoreLocation(url)
  const path = file === null ? null : resolve(directory, file)
  if (path === null || !existsSync(path)) return 0
  // A store that cannot be read is found by its own check.
  return inspectStore(path, { deep: false }).then(
    ({ failed_notices }) => failed_notices,
    () => 0,
  )
}
