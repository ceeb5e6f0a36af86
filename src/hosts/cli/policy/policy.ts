import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Grant } from '../../../core/hold/grant.ts'
import { passedOver } from '../../../core/policy/asked-nobody.ts'
import { factsOfForeignCall } from '../../../core/policy/own-records.ts'
import type { ExplainedPart } from '../../../core/policy/permit-parts.ts'
import type { Policy, Verdict } from '../../../core/policy/policy.ts'
import { DEFAULT_POLICY } from '../../../core/policy/read-policy.ts'
import type { PolicyRemark } from '../../../core/policy/remarks/remark.ts'
import { PAUSE_KINDS } from '../../../core/run/profile.ts'
import { toolPrefix } from '../../../core/settings/mcp-servers.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import { jsonLine, visibleText } from '../../../core/text/visible-text.ts'
import type { Tool } from '../../../ports/agent/tool.ts'
import { loadAgent } from '../../../runtime/foreign/load-agent.ts'
import type { Coverable } from '../../../runtime/gate/standing-grant.ts'
import { type Gating, gateByPolicy } from '../../../runtime/policy/policy-gate.ts'
import { partsOf, type Ruled, rulingOn } from '../../../runtime/policy/ruling.ts'
import { remarksOnPolicy } from '../../agents/profile/remarks-on-policy.ts'
import type { CommandContext } from '../../command/command.ts'
import { jsonObject } from '../../command/flag-values.ts'
import type { Given } from '../../command/flags.ts'
import { agentRegistry } from '../../compose/compose.ts'
import { systemClock } from '../../process/system-clock.ts'
import { type ProjectConfig, readConfig, readPolicyFile, readProjectPolicy } from '../../project/project.ts'
import { isStoreThere, storeUrl, unlessMissing } from '../../project/store-url.ts'
import { trustedAgentFile } from '../../project/trust.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { policyRefusals } from '../../refusals/policy-refusals.ts'
import { grantAt } from '../../terminal/session/check-call.ts'
import { openForReading } from '../open-for-reading.ts'
import { EFFECT_FLAGS } from './effect-flags.ts'
import type { GrantDocument } from './grants.ts'

/** The ruling that a call would get. */
export interface PolicyCheck extends Outcomes {
  readonly tool: string
  readonly arguments: JsonObject
  readonly policy: Verdict
  /** The rule that decided. */
  readonly rule: string
  readonly on_never: Policy['on_never']
  /** The standing grant by which it runs unasked in this project; `null` if there is none. */
  readonly grant: Pick<GrantDocument, 'grant_id' | 'name' | 'granted_by'> | null
  /** Lines of the policy that do nothing, or permit more than they seem to. Absent if there are none. */
  readonly remarks?: readonly PolicyRemark[]
  /** The commands of a line, each with what permits it; left out of one alone of which nothing more is known. */
  readonly parts?: readonly ExplainedPart[]
}

export async function run(context: CommandContext): Promise<number> {
  const [verb] = context.given.words
  if (verb === 'import') return (await import('./import-policy.ts')).importPolicy(context)
  if (verb === 'suggest') return (await import('./suggest-rules.ts')).suggestRules(context)
  if (EFFECT_FLAGS.some(flag => context.given.has(flag))) return checkEffect(context)
  return check(context)
}

/** `policy check`: what would happen to a call, by the same path that a run takes; nothing is run. */
async function check(context: CommandContext): Promise<number> {
  const { given, io, json, directory, env } = context
  const tool = given.value('tool') ?? 'run_command'
  const args = argumentsIn(given)
  const agents = agentRegistry({ directory, env })
  const config = await readConfig(directory, env)
  const agent_file = await trustedAgentFile(given.value('agent'), { directory, env, config })
  const agent = await agents.definitionOf({ agent: 'default', agent_file })
  const profile = {
    ...agents.profileOf('default'),
    agent: agent.name,
    agent_file,
    configured_in: directory,
    tools: [tool],
  }
  const load = async () => (await loadAgent({ agents, clock: systemClock }, profile)).tools.get(tool)
  const found = isOfServer(tool, config) ? { ...OF_SERVER, name: tool } : await load()
  if (!found) throw policyRefusals.unknownTool(tool)

  const ruled = await ruledBy(context, config, agent)
  const { verdict, rule } = await rulingOn(ruled, found, args)
  const pause_on = agent.pauseOn ?? config.pause_on ?? []
  const granted = await grantInForce(context, agent.name, { tool: found, args, ruled })
  const happens = granted ? GRANTED : await whatHappens({ ...ruled, pause_on }, { tool: found, args, verdict })
  const grant = granted && { grant_id: granted.id, name: granted.name, granted_by: granted.granted_by }
  const of = { tool, arguments: args, policy: verdict, rule, on_never: ruled.policy.on_never }
  const remarks = await remarksOnPolicy({ directory, env, config, agents }, ruled, {
    tools: [found, ...(agent.tools ?? []).filter(each => typeof each !== 'string')],
    agentFiles: [agent_file],
  })
  const parts = await partsOf(ruled, found, args)
  const document: PolicyCheck = {
    ...of,
    grant,
    ...happens,
    ...(remarks.length > 0 && { remarks }),
    ...tellingParts(parts, verdict, ruled.policy.mode),
  }
  io.out(json ? jsonLine(document) : asText(document))
  return 0
}

/** A line that a rule forbids, or permits by its very text, is ruled on whole: its commands explain nothing. */
function tellingParts(
  parts: readonly ExplainedPart[],
  verdict: Verdict,
  mode: Policy['mode'],
): Pick<PolicyCheck, 'parts'> {
  const isWhole = verdict === 'auto' && mode === undefined && parts.some(({ by }) => by === null)
  if (verdict === 'never' || isWhole) return {}
  return parts.length > 1 || parts.some(({ why }) => why !== null) ? { parts } : {}
}

/** `policy check --write PATH`: what the rules on effects say, without a call. */
async function checkEffect(context: CommandContext): Promise<number> {
  const { given, io, json, directory, env } = context
  const agents = agentRegistry({ directory, env })
  const config = await readConfig(directory, env)
  const agent_file = await trustedAgentFile(given.value('agent'), { directory, env, config })
  const agent = await agents.definitionOf({ agent: 'default', agent_file })
  const { effectChecks, effectLines } = await import('./check-effects.ts')
  const document = effectChecks(given, await ruledBy(context, config, agent))
  io.out(json ? jsonLine(document) : effectLines(document))
  return 0
}

async function ruledBy(
  { given, directory }: CommandContext,
  { root }: ProjectConfig,
  agent: { readonly policy: Policy | null },
): Promise<Ruled> {
  const file = given.value('policy')
  const policy =
    file === null
      ? (agent.policy ?? (await readProjectPolicy(directory)) ?? DEFAULT_POLICY)
      : await readPolicyFile(resolve(directory, file))
  const isOfProject = file === null && !agent.policy && root !== null
  const workdir = resolve(directory, given.value('workdir') ?? '.')
  return { policy, workdir, ...(isOfProject ? { rules_from: realpathSync(root) } : {}) }
}

function asText({ policy, rule, grant, remarks = [], parts = [], ...happens }: PolicyCheck): string {
  const lines = [
    `${policy}  (${rule})`,
    ...parts.map(({ command, by, why }) => `  ${command}: ${by ?? `asks, ${why ?? 'no rule permits it'}`}`),
    ...(grant ? [`  ${grant.granted_by} always allows it here: ${grant.name} (${grant.grant_id})`] : []),
  ]
  return `${lines.map(visibleText).join('\n')}\n${happensText(happens)}${remarks.map(remarkLines).join('')}`
}

function remarkLines({ place, message, hint }: PolicyRemark): string {
  return visibleText(`warning: ${place}: ${message}\n  ${hint}\n`)
}

type Happens = 'runs' | 'runs_unasked' | 'boxed' | 'asks' | 'refused'

interface Outcomes {
  readonly with_pause_on_approval: Happens
  readonly without_pause_on: Happens
}

const GRANTED: Outcomes = { with_pause_on_approval: 'runs', without_pause_on: 'runs' }

/** By the same gate that a run has; `pause_on` is what a run gets here without a flag. */
async function whatHappens(
  gating: Gating,
  { tool, args, verdict }: { readonly tool: Tool; readonly args: JsonObject; readonly verdict: Verdict },
): Promise<Outcomes> {
  const gated = async (pause_on: Gating['pause_on']): Promise<Happens> => {
    const said = await gateByPolicy({ ...gating, pause_on }, { tool, final_arguments: args })
    if ('suspend' in said) return 'asks'
    if ('deny' in said) return 'refused'
    if (passedOver(said.because ?? '') !== null) return 'runs_unasked'
    return verdict === 'box' ? 'boxed' : 'runs'
  }
  return { with_pause_on_approval: await gated(PAUSE_KINDS), without_pause_on: await gated(gating.pause_on) }
}

const HAPPENS: Record<Happens, string> = {
  runs: 'it runs',
  runs_unasked: 'it runs, and the run warns that nobody was asked',
  boxed: 'it runs in a box, and "effects" rule on what it did',
  asks: 'a person is asked',
  refused: 'it is refused',
}

function happensText({ with_pause_on_approval, without_pause_on }: Outcomes): string {
  return `  with --pause-on-approval  ${HAPPENS[with_pause_on_approval]}\n  without it                ${HAPPENS[without_pause_on]}\n`
}

/** All that policy asks of a server's tool can be known without the server: none is started for it. */
const OF_SERVER: Parameters<typeof rulingOn>[1] = {
  name: '',
  description: '',
  inputSchema: {},
  idempotent: false,
  destructive: true,
  needsApproval: () => null,
  inspect: factsOfForeignCall,
  validate: value => ({ ok: true, value }),
  execute: async () => null,
}

function isOfServer(tool: string, { mcp_servers }: ProjectConfig): boolean {
  return Object.keys(mcp_servers ?? {}).some(server => tool.startsWith(toolPrefix(server)))
}

function argumentsIn(given: Given): JsonObject {
  const [verb, ...words] = given.words
  const json = given.value('arguments')
  if (verb !== 'check' || (json === null ? words.length !== 1 : words.length > 0)) {
    throw argumentRefusals.usage(
      'policy check COMMAND, policy import claude|codex|gemini, or policy suggest',
      'Quote the command as one word; for other tools give --tool NAME --arguments JSON.',
    )
  }
  return json === null
    ? { command: words[0] ?? '' }
    : jsonObject(json, { what: '--arguments', hint: 'Write --arguments \'{"name": …}\'.' })
}

/** The standing grant for a new run of the agent here. Those of one run or session count for that one alone. */
async function grantInForce(context: CommandContext, agent: string, coverable: Coverable): Promise<Grant | null> {
  const { given, env, directory } = context
  const config = await readConfig(directory, env)
  if (!isStoreThere(storeUrl(given.value('store'), env, config), directory)) return null
  await using app = await unlessMissing(() => openForReading(context))
  return app && (await grantAt(app, { agent, places: { run: null, thread: null, project: directory } }, coverable))
}
