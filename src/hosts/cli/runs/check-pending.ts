import type { Difference } from '../../../core/text/differences.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CheckOptions, PendingCheck } from '../../../runtime/holds/check-pending.ts'
import type { CommandContext } from '../../command/command.ts'
import { agentRegistry } from '../../compose/compose.ts'
import { readConfig } from '../../project/project.ts'
import { trustedAgentFile } from '../../project/trust.ts'
import { openToLook, refuseWords } from '../open-for-reading.ts'

/** Reports for every open pause whether it can go on under the present definitions; 1 if one cannot. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'check-pending')
  const options = await optionsIn(context)
  await using app = await openToLook(context)
  const checks = await Array.fromAsync(app.holdpoint.checkPending(options))
  io.out(json ? jsonLine(checks.map(pendingDocument)) : asText(checks))
  return checks.some(({ status }) => status === 'broken') ? 1 : 0
}

/** With `--agent FILE`, every run of that agent, wherever it was defined before, is to go on with the one in FILE. */
async function optionsIn({ given, directory, env }: CommandContext): Promise<CheckOptions> {
  const named = given.value('agent')
  if (named === null) return {}
  await using agents = agentRegistry({ directory, env })
  const agent_file = await trustedAgentFile(named, { directory, env, config: await readConfig(directory, env) })
  const { name } = await agents.definitionOf({ agent: '', agent_file })
  const brought = { agent: name, agent_file }
  await agents.load({ ...agents.profileOf('default'), ...brought, configured_in: directory })
  return {
    profileFor: profile =>
      profile.agent === name || profile.agent_file === agent_file ? { ...profile, ...brought } : null,
  }
}

/** A pause, and whether it can go on. */
export interface PendingDocument extends Omit<PendingCheck, 'thread_id'> {
  readonly session_id: string
}

function pendingDocument({ thread_id: session_id, ...check }: PendingCheck): PendingDocument {
  return { session_id, ...check }
}

function asText(checks: readonly PendingCheck[]): string {
  if (checks.length === 0) return 'Nothing waits.\n'
  const count = (wanted: PendingCheck['status']) => checks.filter(({ status }) => status === wanted).length
  const total = `${count('ok')} ok, ${count('changed')} changed, ${count('broken')} broken`
  return `${checks.map(checkText).join('')}\n${total}\n`
}

function checkText(check: PendingCheck): string {
  const { status, hold_id, run_id, agent, call_id, tool, problem, differences, redefined } = check
  const what = call_id === null ? 'waits for the next message' : `${tool} (${call_id})`
  const head = `${status.padEnd(7)}  ${hold_id ?? 'with its batch'}  ${run_id}  ${agent}  ${what}`
  const notes = redefined.map(name => `note: ${NOTES[name]}`)
  const lines = [...(problem === null ? [] : [problem]), ...differences.map(differenceText), ...notes]
  return `${visibleLine(head)}\n${lines.map(line => `    ${visibleLine(line)}\n`).join('')}`
}

const NOTES: Record<PendingCheck['redefined'][number], string> = {
  agent:
    "the agent's instructions, model or model settings are not those that the run was started with; it keeps its own",
  policy: 'the policy is not the one that the run was started with; it keeps its own',
  tool: 'its tool declares itself otherwise than when the run was started',
}

function differenceText({ path, was, is }: Difference): string {
  return `${path}: was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`
}
