import { resolve } from 'node:path'
import { RefusedError } from '../../../core/errors.ts'
import { factsOfForeignCall } from '../../../core/policy/own-records.ts'
import { DEFAULT_POLICY } from '../../../core/policy/read-policy.ts'
import { toolPrefix } from '../../../core/settings/mcp-servers.ts'
import { isJsonObject, type JsonObject } from '../../../core/text/json.ts'
import { visibleText } from '../../../core/text/visible-text.ts'
import { rulingOn } from '../../../runtime/policy/ruling.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { agentRegistry } from '../../compose/compose.ts'
import { type ProjectConfig, readConfig, readPolicyFile, readProjectPolicy } from '../../project/project.ts'

/** `policy check`: what would happen to a call, by the same path that a run takes; nothing is run. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, directory, env } = context
  const tool = given.value('tool') ?? 'run_command'
  const args = argumentsIn(given)
  const agents = agentRegistry({ directory, env })
  const config = await readConfig(directory)
  const file = given.value('agent') ?? config.agent
  const agent_file = file === null ? null : resolve(directory, file)
  const agent = await agents.definitionOf({ agent: 'default', agent_file })
  const profile = {
    ...agents.profileOf('default'),
    agent: agent.name,
    agent_file,
    configured_in: directory,
    tools: [tool],
  }
  const found = isOfServer(tool, config) ? { ...OF_SERVER, name: tool } : (await agents.load(profile)).tools.get(tool)
  if (!found) throw new RefusedError('unknown_tool', `There is no tool ${JSON.stringify(tool)} here.`)

  const policyFile = given.value('policy')
  const policy =
    policyFile === null
      ? (agent.policy ?? (await readProjectPolicy(directory)) ?? DEFAULT_POLICY)
      : await readPolicyFile(resolve(directory, policyFile))
  const workdir = resolve(directory, given.value('workdir') ?? '.')
  const ruling = await rulingOn({ policy, workdir }, found, args)
  const document = { tool, arguments: args, policy: ruling.verdict, rule: ruling.rule, on_never: policy.on_never }
  io.out(json ? `${JSON.stringify(document)}\n` : `${ruling.verdict}  (${visibleText(ruling.rule)})\n`)
  return 0
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
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint policy check COMMAND', {
      hint: 'Quote the command as one word; for other tools give --tool NAME --arguments JSON.',
    })
  }
  return json === null ? { command: words[0] ?? '' } : objectIn(json)
}

function objectIn(text: string): JsonObject {
  try {
    const value: JsonObject = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Said below, as for any other text that is no object.
  }
  throw new RefusedError('invalid_arguments', '--arguments must be a JSON object.')
}
