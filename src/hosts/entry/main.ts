/**
 * The command line: finds the command, loads that alone, and turns its result or its failure into output and exit code.
 */

import { resolve } from 'node:path'
import { HoldpointError, RefusedError } from '../../core/errors.ts'
import { jsonLine } from '../../core/text/visible-text.ts'
import type { Command } from '../command/command.ts'
import { type Given, HELP_FLAG, OUTPUT_FLAG, parseFlags, RUN_FLAGS } from '../command/flags.ts'
import { namedServer, refuseServerFlag } from '../command/named-server.ts'
import { OUTPUT_FORMATS, type OutputFormat } from '../outcome/outcome-document.ts'
import { exitCodeTells, processIo, tolerateLostOutput } from '../process/io.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { COMMANDS, commandNamed } from './commands.ts'
import { mayBeCommand, refuseMeantCommand, refuseMeantWord, unknownTopic } from './meant-command.ts'

const INTERRUPTED = 128

export interface Invocation {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

/** Never throws; sets the exit code of the process. */
export async function main(): Promise<void> {
  tolerateLostOutput()
  process.exitCode = await exitCodeFor(process.argv.slice(2))
  // After a signal, the process does not wait for a tool that ignores it.
  if (process.exitCode >= INTERRUPTED) process.exit()
}

async function exitCodeFor(args: readonly string[]): Promise<number> {
  try {
    if (PROXY_VARIABLES.some(name => process.env[name])) await useProxy()
    const invocation = { args, env: process.env, directory: workingDirectory() }
    return await runOnce(invocation).catch(async thrown => {
      if (await isTrustedNow(thrown, invocation)) return runOnce(invocation)
      throw thrown
    })
  } catch (thrown) {
    return reportFailure(thrown, formatIn(args))
  }
}

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']

async function useProxy(): Promise<void> {
  const proxy = await import('../process/use-proxy.ts')
  proxy.useProxy(process.env)
}

/** @throws RefusedError `no_workdir` */
function workingDirectory(): string {
  try {
    return resolve('.')
  } catch {
    throw argumentRefusals.noWorkdir()
  }
}

async function runOnce(invocation: Invocation): Promise<number> {
  if (invocation.args[0] === '__complete') return tellCompletion(invocation)
  if (invocation.args[0] === '__integrity') return tellIntegrity(invocation)
  if (invocation.args.length === 0 && processIo.isTerminal && process.stdin.isTTY) return runChosen(invocation)
  const command = commandNamed(invocation.args[0])
  return command ? runCommand(command, invocation) : runPrompt(invocation)
}

/** A person who typed nothing is asked what to do. */
async function runChosen({ env, directory }: Invocation): Promise<number> {
  const { chooseNext } = await import('../cli/start/choose-next.ts')
  const given = parseFlags(RUN_FLAGS, [])
  const args = await chooseNext({ commands: COMMANDS, given, json: false, directory, env, io: processIo })
  return args === null ? 0 : exitCodeFor(args)
}

/** A shell asks while a person types: a failure is an empty answer. */
async function tellCompletion({ args, env, directory }: Invocation): Promise<number> {
  const { completionAnswer } = await import('../cli/help/completion.ts')
  const answer = completionAnswer({ words: args.slice(1), commands: COMMANDS, env, directory })
  processIo.out(await answer.catch(() => ''))
  return 0
}

/** The doctor asks, in a process that it can end. */
async function tellIntegrity({ args }: Invocation): Promise<number> {
  processIo.out(await (await import('../cli/doctor/check-integrity.ts')).tellIntegrity(args[1] ?? ''))
  return 0
}

/** True if a project was refused that the person at the terminal trusts now; nothing had happened. */
async function isTrustedNow(thrown: unknown, { args, env }: Invocation): Promise<boolean> {
  if (!(thrown instanceof RefusedError) || thrown.code !== 'project_not_trusted') return false
  if (formatIn(args) !== 'text' || args[0] === 'trust') return false
  const { askTrust } = await import('../cli/policy/trust.ts')
  return askTrust({ io: processIo, env }, String(thrown.details['directory']))
}

async function runCommand(command: Command, { args, env, directory }: Invocation): Promise<number> {
  const { name, flagHint = `See \`holdpoint ${name} --help\`.` } = command
  refuseServerFlag(name, command.flags, args)
  const given = parseFlags([...command.flags, OUTPUT_FLAG, HELP_FLAG], args.slice(1), flagHint)
  if (given.has('help')) {
    const { commandHelp } = await import('../cli/help/help.ts')
    processIo.out(await commandHelp(command, processIo.width()))
    return 0
  }
  refuseMeantWord(command, given)
  if (given.has('advance') || given.has('wait') || given.words[0] === 'wait') exitCodeTells()
  const context = { commands: COMMANDS, given, json: formatOf(given) !== 'text', directory, env, io: processIo }
  const server = namedServer(command, given, env)
  const { run } = await command.load()
  if (server === null) return run(context)
  const { reachServer } = await import('../remote/reach-server.ts')
  return run(await reachServer(context, server))
}

async function runPrompt({ args, env, directory }: Invocation): Promise<number> {
  refuseServerFlag('A run', RUN_FLAGS, args)
  const given = parseFlags(RUN_FLAGS, args)
  if (given.has('help') || (given.words[0] === 'help' && !given.literal)) return showHelp(given)
  if (given.has('version')) {
    const { version } = await import('../process/version.ts')
    processIo.out(`${version()}\n`)
    return 0
  }
  refuseMeantCommand(given)
  if (processIo.isTerminal && mayBeCommand(given)) await confirmPrompt(given.words[0] ?? '')
  const { readRequest } = await import('../headless/run-request.ts')
  const { runHeadless } = await import('../headless/run-headless.ts')
  exitCodeTells()
  return runHeadless({ request: await readRequest(given), format: formatOf(given), directory, env, io: processIo })
}

/** A person who meant a command starts no agent. @throws RefusedError `unknown_command` */
async function confirmPrompt(word: string): Promise<void> {
  const { confirmAtTerminal } = await import('../display/ask-line.ts')
  const confirm = confirmAtTerminal({ io: processIo })
  const isMeant = confirm === null || (await confirm(`There is no command ${word}. Send it to an agent as a prompt?`))
  if (!isMeant) throw argumentRefusals.unknownWord(word)
}

/** `help`, `help run`, `help COMMAND`, or --help among the options of a run. */
async function showHelp({ words }: Given): Promise<number> {
  const { commandHelp, mainHelp, runHelp } = await import('../cli/help/help.ts')
  const topic = words[0] === 'help' ? words[1] : words[0]
  const command = commandNamed(topic)
  if (words[0] === 'help' && topic && topic !== 'run' && topic !== 'help' && !command) throw unknownTopic(topic)
  const width = processIo.width()
  if (command) processIo.out(await commandHelp(command, width))
  else processIo.out(topic === 'run' ? runHelp(width) : mainHelp(COMMANDS, width))
  return 0
}

function formatOf(given: Given): OutputFormat {
  const named = given.value('output') ?? (given.has('json') ? 'json' : 'text')
  const format = OUTPUT_FORMATS.find(known => known === named)
  if (format) return format
  throw argumentRefusals.unknownValue('output', named, `Use ${OUTPUT_FORMATS.join(', ')}.`)
}

/** The output format, even if the rest of the line cannot be read: stdout must hold a document even then. */
function formatIn(args: readonly string[]): OutputFormat {
  const flags = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  if (flags.includes('--json')) return 'json'
  const at = flags.findIndex(arg => /^(-[ah]*o|--output)$/.test(arg))
  const glued = flags.map(arg => /^(?:-[ah]*o|--output=)(.+)$/.exec(arg)?.[1]).find(value => value !== undefined)
  const value = at >= 0 ? flags[at + 1] : glued
  return OUTPUT_FORMATS.find(format => format === value) ?? 'text'
}

async function reportFailure(thrown: unknown, format: OutputFormat): Promise<number> {
  const { errorDocument } = await import('../outcome/outcome-document.ts')
  const { textError } = await import('../outcome/report-style.ts')
  const refused = thrown instanceof RefusedError
  const document = errorDocument(thrown, { outcome: refused ? 'refused' : 'failed' })
  if (format === 'json') processIo.out(jsonLine(document))
  else if (format === 'stream-json') processIo.out(jsonLine({ kind: 'outcome', ...document }))
  else processIo.err(textError(document, processIo))
  if (!(thrown instanceof HoldpointError) && format === 'text' && thrown instanceof Error)
    processIo.err(`${thrown.stack}\n`)
  return refused ? 2 : 1
}
