import { agentActor } from '../core/agent-actor.ts'
import { RefusedError, ToolError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { type CallFacts, NO_FACTS } from '../core/policy.ts'
import type { Control } from '../ports/control.ts'
import type { Tool, ToolContext } from '../ports/tool.ts'
import { validateArguments } from './json-schema.ts'

/** How policy reads the arguments of those that do something, where it can see into them. */
type Inspect = NonNullable<Tool['inspect']>

const INSPECT: Readonly<Record<string, Inspect>> = {
  run_command_task: inspectCommandTask,
  resume_task: decides,
  decide_hold: decides,
}

/** A control as the tool of an agent: what it starts is a child of the agent's run, and it signs as that run. */
export function controlTool(control: Control): Tool {
  const { name, description, inputSchema, hints } = control
  const inspect = INSPECT[name]
  return {
    name,
    description,
    inputSchema,
    idempotent: hints.readOnly,
    destructive: hints.destructive,
    needsApproval: () => (hints.readOnly ? false : null),
    validate: args => validateArguments(inputSchema, args),
    ...(inspect && { inspect }),
    execute: (args, context) => call(control, args, context),
  }
}

async function call(control: Control, args: JsonObject, context: ToolContext): Promise<JsonObject> {
  const { agent, runId, abortSignal: signal } = context
  try {
    return await control.call(args, {
      ...{ actor: agentActor(agent, runId), surface: 'agent', signal, runId },
      onProgress: () => {},
    })
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    const hint = thrown.hint === null ? '' : ` ${thrown.hint}`
    throw new ToolError(thrown.code.toUpperCase(), `${thrown.message}${hint}`, { cause: thrown })
  }
}

/** As run_command's: a rule for its commands sees through quoting, paths and wrappers. */
async function inspectCommandTask({ command, argv }: JsonObject, workdir: string): Promise<CallFacts> {
  const { inspectCommandLine } = await import('./run-command/run-command.ts')
  const line = Array.isArray(argv) ? argv.map(word => quoted(String(word))).join(' ') : (command ?? null)
  return inspectCommandLine(line, workdir)
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** P1: by whatever way an agent would decide, a person looks first. */
async function decides(): Promise<CallFacts> {
  return { ...NO_FACTS, protected: 'it decides what somebody is asked' }
}
