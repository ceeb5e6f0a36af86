import { mayBox } from '../../core/effect/boxed-rules.ts'
import { messageOf, ToolError } from '../../core/errors.ts'
import { agentActor } from '../../core/people/agent-actor.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import { described, type Fits, FLAG, listOf, object, type Schema, TEXT, text } from '../../core/text/json-schema.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import type { RecordCall } from '../../ports/process/call-record.ts'
import { commandEnvironment, PASS_ALL } from '../../ports/process/command-environment.ts'
import type { NoteCommand } from '../../ports/process/note-command.ts'
import type { BoxOptions } from '../box/box.ts'
import type { BoxedCall } from '../box/run-boxed.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { linkToRecords } from '../read-command/files/links-to-records.ts'
import type { BoundedOutput } from './bounded-output.ts'
import type { CommandOutcome, CommandRequest } from './spawn-command.ts'

const DEFAULT_TIMEOUT_SECONDS = 120
/** How much of each stream the message of an interrupted call shows. */
const LAST_BYTES = 2000

export interface RunCommandOptions {
  /** The environment of the commands. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Default: what runs in a command knows its agent by its environment alone. */
  readonly noteCommand?: NoteCommand
  /** Default: nobody finds a command that outlives its agent. */
  readonly recordCall?: RecordCall
  /** Default: there are no boxes, so a command that policy wants in one is asked about. */
  readonly box?: BoxOptions
}

/** Shell commands in the run's directory. They find `HOLDPOINT_IDEMPOTENCY_KEY` and `HOLDPOINT_WITHIN` in their environment. */
export function runCommand(options: RunCommandOptions = {}): Tool {
  const tool = defineTool({
    name: 'run_command',
    description:
      'Runs a bash command in the working directory and returns its exit_code, stdout and stderr. ' +
      'There is no terminal and stdin is empty. Of long output the start and the end are returned. ' +
      'When the command ends, what it left running in the background is stopped, unless it made itself a daemon.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    destructive: true,
    title: ({ command }: Arguments) => `Run ${command}`,
    inspect: async ({ command, outside }, workdir, rulesFrom) => {
      const facts = await inspectCommandLine(command ?? null, { workdir, rulesFrom })
      return outside === true ? { ...facts, outside } : facts
    },
    preview: async ({ command }: Arguments, context) => ({
      parts: async () => {
        const { commandParts } = await import('../read-command/preview-command.ts')
        const { workdir, policy } = context
        return commandParts(command, { workdir, policy, ...(mayBox(policy) && { no_box: await noBox(options) }) })
      },
      basis: await basisOf(command, context.workdir),
    }),
    execute: (args: Arguments, context) => execute(args, context, options),
  })
  const mayNeedPersonNow = ({ command }: JsonObject, workdir: string) =>
    linkToRecords(String(command), workdir) !== null
  return {
    ...tool,
    grantable: true,
    addedArguments: ['outside', 'keep'],
    mayNeedPersonNow,
    noBox: () => noBox(options),
  }
}

async function noBox({ box }: RunCommandOptions): Promise<string | null> {
  if (!box || box.isOff) return 'boxes are off here'
  const { boxMachine } = await import('../box/machine/machine.ts')
  const { why } = await boxMachine()
  return why === null ? null : `this machine has none: ${why}`
}

/** All that the reading of a command has from elsewhere is where links lead; if it has no path, those to records. */
async function basisOf(command: string, workdir: string): Promise<Json> {
  if (!/[/\\]/.test(command)) return linkToRecords(command, workdir)
  const { commandBasis } = await import('../read-command/preview-command.ts')
  return commandBasis(command, workdir)
}

const SECONDS: Schema<number> = { type: 'number', exclusiveMinimum: 0, maximum: 3600 }
const INPUT_SCHEMA = object(
  {
    command: text('The command line, as for bash -c.'),
    outside: described(
      FLAG,
      'Where commands run in a box: asks a person to run this one with the keys, sockets and network of the machine. For what cannot work without them, such as git push.',
    ),
    keep: described(
      listOf(TEXT),
      'Of the files that it changes in a box, only these are kept: paths, or globs as in .gitignore. Default: all.',
    ),
    timeout_seconds: described(SECONDS, `The command is stopped after this time. Default: ${DEFAULT_TIMEOUT_SECONDS}.`),
  },
  ['command'],
)
type Arguments = Fits<typeof INPUT_SCHEMA>

export interface CommandPlace {
  readonly workdir: string
  /** The directory to which rules refer. Default: `workdir`. */
  readonly rulesFrom?: string | undefined
}

/** No pattern permits a command that cannot be read, or one somewhere else: `./build` is another program there. */
export async function inspectCommandLine(
  command: Json,
  { workdir, rulesFrom = workdir }: CommandPlace,
): Promise<CallFacts> {
  try {
    if (typeof command !== 'string') throw new ToolError('INVALID_ARGUMENTS', 'it is not text')
    const { inspectCommand } = await import('../read-command/inspect-command.ts')
    const facts = await inspectCommand(command, workdir)
    if (rulesFrom === workdir) return facts
    // Restrictive rules read it as they do in their own directory: it is the same program there, or one in doubt.
    const { exact: _, ...read } = facts.readings['command'] ?? { among: [command] }
    return { ...facts, readings: { command: { ...read, as: null, parts: null } } }
  } catch (thrown) {
    const text = typeof command === 'string' ? command : JSON.stringify(command)
    return {
      readings: { command: { as: null, among: [text] } },
      unclear: `the command cannot be read: ${messageOf(thrown)}`,
      protected: null,
    }
  }
}

async function execute(
  { command, keep, outside = false, timeout_seconds = DEFAULT_TIMEOUT_SECONDS }: Arguments,
  context: ToolContext,
  options: RunCommandOptions,
): Promise<Json> {
  const { environment = process.env, noteCommand, recordCall, box } = options
  const { workdir, abortSignal, agent, runId, idempotencyKey, boxed } = context
  const { spawnCommand } = await import('./spawn-command.ts')
  const within = environmentWithin(context, environment)
  const request = {
    command,
    workdir,
    timeoutMs: timeout_seconds * 1000,
    signal: abortSignal,
    note: (pid: number) => noteCommand?.(pid, agentActor(agent, runId)) ?? (() => {}),
    onOutput: (stream: 'stdout' | 'stderr', delta: string) => context.report({ delta, stream }),
  }
  if (boxed && box && !outside) {
    const inBox = await runInBox(
      { command, keep: keep ?? null, environment: within, rules: boxed, context, box },
      request,
    )
    if (inBox) return inBox.result
  }
  const record = recordCall?.(idempotencyKey, within) ?? null
  const ended = await spawnCommand({
    ...request,
    environment: record?.environment ?? within,
    keep: record ? output => record.keepOutput(output) : undefined,
  }).finally(() => record?.forget())
  return resultOf(ended, context)
}

/** `null` if there is no box, and it may run without one. @throws ToolError */
async function runInBox(
  call: Omit<BoxedCall<CommandOutcome>, 'spawn'>,
  request: Omit<CommandRequest, 'environment'>,
): Promise<{ readonly result: Json } | null> {
  const { spawnCommand } = await import('./spawn-command.ts')
  const spawn: BoxedCall<CommandOutcome>['spawn'] = (launch, begun) => {
    const note = (pid: number) => {
      begun?.(pid)
      return request.note(pid)
    }
    return spawnCommand({ ...request, note, environment: call.environment, launch })
  }
  const boxed = { ...call, spawn }
  if (call.rules.over === 'overlay') {
    const { runBoxed } = await import('../box/run-boxed.ts')
    return { result: await runBoxed(boxed) }
  }
  const why = await noBox(call)
  if (why === null) {
    const { runCovered } = await import('../box/run-covered.ts')
    return { result: resultOf(await runCovered(boxed), call.context) }
  }
  if (!call.box.isRequired) return null
  throw new ToolError('COMMAND_NOT_STARTED', `The settings demand a box for each command (box.use), but ${why}.`)
}

function resultOf(ended: CommandOutcome, context: ToolContext): Json {
  const { ending, exitCode, signal, stdout, stderr, hasEndedBackground } = ended
  if (ending === 'aborted') throw interrupted(stdout, stderr)
  const result = { exit_code: exitCode, signal, stdout: stdout.text(), stderr: stderr.text() }
  if (ending === 'timed_out') return { ...result, timed_out: true }
  return hasEndedBackground ? { ...result, background: endedBackground(context) } : result
}

const COMMAND_TASK = 'run_command_task'

/** A model that starts a server with `&` would look for it in vain. */
function endedBackground({ toolNames = [] }: ToolContext): string {
  const instead = toolNames.includes(COMMAND_TASK) ? `; use ${COMMAND_TASK} for what must go on` : ''
  return `What it left running in the background was ended with the command${instead}.`
}

/**
 * Programs that a command starts sign as the agent. They get the starter's variables, but neither the starter's name
 * (P1) nor a secret of Holdpoint.
 */
function environmentWithin(
  { agent, runId, idempotencyKey }: ToolContext,
  given: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const { HOLDPOINT_ACTOR: _, ...environment } = commandEnvironment(given, PASS_ALL)
  return {
    ...environment,
    HOLDPOINT_IDEMPOTENCY_KEY: idempotencyKey,
    HOLDPOINT_WITHIN: agentActor(agent, runId),
  }
}

function interrupted(stdout: BoundedOutput, stderr: BoundedOutput): ToolError {
  const printed = [
    ['stdout', stdout.end(LAST_BYTES)],
    ['stderr', stderr.end(LAST_BYTES)],
  ].filter(([, text]) => text !== '')
  const told = printed.map(([name, text]) => `The end of its ${name}:\n${text}`).join('\n')
  return new ToolError(
    'TOOL_CALL_INTERRUPTED',
    `The command was stopped before it ended, so its effect may be partial. ${told || 'It had printed nothing.'}`,
  )
}
