import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RefusedError, ToolError } from '../core/errors.ts'
import { agentActor } from '../core/people/agent-actor.ts'
import type { CallFacts } from '../core/policy/policy.ts'
import { type JsonObject, jsonText } from '../core/text/json.ts'
import { quotedWord } from '../core/text/quoted-word.ts'
import { TOOL_WORDS } from '../core/tool-words.ts'
import type { Control } from '../ports/agent/control.ts'
import type { Tool, ToolContext } from '../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from './define/built-in-version.ts'
import { validateArguments } from './define/json-schema.ts'

/** A control as the tool of an agent: what it starts is a child of the agent's run, and it signs as that run. */
export function controlTool(control: Control): Tool {
  const { name, description, inputSchema, hints } = control
  return {
    name,
    description,
    inputSchema,
    version: BUILT_IN_VERSION,
    idempotent: hints.idempotent,
    destructive: hints.destructive,
    needsApproval: () => (hints.readOnly ? false : null),
    ...(name === RUN_COMMAND_TASK && { title: titleOfCommandTask }),
    validate: args => validateArguments(inputSchema, args),
    ...(name === RUN_COMMAND_TASK && { sameAs: RUN_COMMAND, inspect: inspectCommandTask }),
    execute: (args, context) => call(control, args, context),
  }
}

async function call(control: Control, args: JsonObject, context: ToolContext): Promise<JsonObject> {
  const { agent, runId, abortSignal: signal } = context
  try {
    return await control.call(args, {
      ...{ actor: agentActor(agent, runId), surface: 'agent', signal, runId, isGated: true },
      onProgress: () => {},
    })
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    const hint = thrown.hintIn(TOOL_WORDS)
    throw new ToolError(thrown.code.toUpperCase(), [thrown.message, hint].filter(Boolean).join(' '), { cause: thrown })
  }
}

const RUN_COMMAND_TASK = 'run_command_task'
const RUN_COMMAND = 'run_command'

/**
 * Reads the command as run_command does, in the directory of the task. A rule for its commands sees through quoting,
 * paths and wrappers.
 */
async function inspectCommandTask(
  { command, argv, workdir: wished }: JsonObject,
  workdir: string,
  rulesFrom: string = workdir,
): Promise<CallFacts> {
  const { inspectCommandLine } = await import('./run-command/run-command.ts')
  const line = Array.isArray(argv) ? argv.map(word => quotedWord(String(word))).join(' ') : (command ?? null)
  const place = typeof wished === 'string' ? await directory(resolve(workdir, wished)) : workdir
  return inspectCommandLine(line, { workdir: place, rulesFrom })
}

function titleOfCommandTask({ command, argv }: JsonObject): string {
  return `Start ${Array.isArray(argv) ? argv.map(word => quotedWord(String(word))).join(' ') : jsonText(command ?? null)}`
}

/** Links followed; one that cannot be followed is refused when it is to start. */
async function directory(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}
