/** `/policy check` in a chat: what the session's own settings say of a call, by the same gate that its runs have. */
import { refused } from '../../../core/errors.ts'
import type { Grant } from '../../../core/hold/grant.ts'
import { passedOver } from '../../../core/policy/asked-nobody.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Tool } from '../../../ports/agent/tool.ts'
import { loadAgent } from '../../../runtime/foreign/load-agent.ts'
import { forToolNow, grantAmong } from '../../../runtime/gate/standing-grant.ts'
import { gateByPolicy } from '../../../runtime/policy/policy-gate.ts'
import { rulingOn } from '../../../runtime/policy/ruling.ts'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import { type Flag, parseFlags } from '../../command/flags.ts'
import { jsonObject } from '../../command/json-value.ts'
import type { App } from '../../compose/compose.ts'
import { systemClock } from '../../process/system-clock.ts'
import { systemIds } from '../../process/system-ids.ts'

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
  if (!tool)
    throw refused(
      'unknown_tool',
      `${profile.agent} has no tool ${JSON.stringify(name)}.`,
      `It has: ${[...tools.keys()].join(', ')}.`,
    )
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

/** Of this session, or of all sessions here. */
async function grantHere({ app, sessionId, profile }: CheckSite, tool: Tool, args: JsonObject): Promise<Grant | null> {
  if (app === null) return null
  const { holdpoint, store } = app
  const places = { run: null, thread: sessionId, project: profile.project }
  const grants = async () => {
    const all = await holdpoint.grants.list({ agent: profile.agent, tool: tool.name })
    return forToolNow(
      all.filter(({ scope, scope_id }) => places[scope] === scope_id),
      tool,
      systemIds,
    )
  }
  const isAsGiven = async ({ id }: Grant) => (await store.grantFault(id)) === null
  return grantAmong(grants, { tool, args, ruled: profile, isAsGiven })
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
