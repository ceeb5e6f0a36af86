/** `/policy check` in a chat: what the session's own settings say of a call, by the same gate that its runs have. */
import { refused } from '../../../core/errors.ts'
import type { Grant } from '../../../core/hold/grant.ts'
import { passedOver } from '../../../core/policy/asked-nobody.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Tool } from '../../../ports/agent/tool.ts'
import { loadAgent } from '../../../runtime/foreign/load-agent.ts'
import { type Coverable, forToolNow, grantAmong } from '../../../runtime/gate/standing-grant.ts'
import { gateByPolicy } from '../../../runtime/policy/policy-gate.ts'
import { rulingOn } from '../../../runtime/policy/ruling.ts'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import { jsonObject } from '../../command/flag-values.ts'
import { type Flag, parseFlags } from '../../command/flags.ts'
import type { App } from '../../compose/compose.ts'
import { systemClock } from '../../process/system-clock.ts'
import { systemIds } from '../../process/system-ids.ts'
import { agentFileRefusals } from '../../refusals/agent-file-refusals.ts'

export interface CheckSite {
  /** `null` if nothing is stored yet. */
  readonly app: Pick<App, 'holdpoint' | 'store'> | null
  readonly agents: AgentRegistry
  readonly sessionId: string
  readonly profile: Profile
}

const FLAGS: readonly Flag[] = [
  { name: 'tool', value: 'NAME', help: 'the tool of the call' },
  { name: 'arguments', value: 'JSON', help: 'its arguments' },
]

/** In lines; nothing is run. `words`: a command, or `--tool NAME --arguments JSON`. @throws RefusedError */
export async function checkCall(site: CheckSite, words: readonly string[]): Promise<string> {
  const { name, args } = asked(words)
  const { profile } = site
  const { tools } = await loadAgent({ agents: site.agents, clock: systemClock }, profile)
  const tool = tools.get(name)
  if (!tool) throw agentFileRefusals.toolNotOfAgent(profile.agent, name, [...tools.keys()])
  const { verdict, rule } = await rulingOn(profile, tool, args)
  const grant = await grantHere(site, tool, args)
  const happens = grant
    ? `it runs: ${grant.granted_by} always allows it (${grant.name}, ${grant.id})`
    : await whatHappens(profile, tool, args)
  return `${verdict}  (${rule})\n  in this session  ${happens}\n`
}

async function whatHappens(profile: Profile, tool: Tool, final_arguments: JsonObject): Promise<string> {
  const said = await gateByPolicy(profile, { tool, final_arguments })
  if ('suspend' in said) return 'you are asked'
  if ('deny' in said) return 'it is refused'
  return passedOver(said.because ?? '') === null ? 'it runs' : 'it runs, and the run warns that you were not asked'
}

/** The grant of this session or of the project that covers a call. */
async function grantHere({ app, sessionId, profile }: CheckSite, tool: Tool, args: JsonObject): Promise<Grant | null> {
  const places = { run: null, thread: sessionId, project: profile.project }
  return app && (await grantAt(app, { agent: profile.agent, places }, { tool, args, ruled: profile }))
}

/**
 * The standing grant of these places by which the call passes, as the gate chooses it; `null` if there is none. A row that was
 * changed by hand counts for nothing.
 */
export async function grantAt(
  { holdpoint, store }: Pick<App, 'holdpoint' | 'store'>,
  { agent, places }: { readonly agent: string; readonly places: Readonly<Record<Grant['scope'], string | null>> },
  coverable: Coverable,
): Promise<Grant | null> {
  const { tool } = coverable
  const grants = async () => {
    const all = await holdpoint.grants.list({ agent, tool: tool.name })
    const here = all.filter(({ scope, scope_id }) => places[scope] === scope_id)
    return forToolNow(here, tool, systemIds)
  }
  return await grantAmong(grants, { ...coverable, isAsGiven: async ({ id }) => (await store.grantFault(id)) === null })
}

function asked(words: readonly string[]): { readonly name: string; readonly args: JsonObject } {
  const given = parseFlags(FLAGS, words, 'Write /policy check COMMAND.')
  const json = given.value('arguments')
  const name = given.value('tool') ?? 'run_command'
  if (json !== null) return { name, args: jsonObject(json, { what: '--arguments', hint: HINT }) }
  const command = given.words.join(' ')
  if (command === '' || given.has('tool')) throw refused('invalid_arguments', 'Usage: /policy check COMMAND', HINT)
  return { name, args: { command } }
}

const HINT = 'For another tool write /policy check --tool NAME --arguments \'{"name": …}\'.'
