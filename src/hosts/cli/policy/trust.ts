import { RefusedError } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { CommandContext } from '../../command/command.ts'
import { confirmAtTerminal } from '../../display/confirm.ts'
import { agentAround } from '../../process/agent-around.ts'
import { readConfig } from '../../project/project.ts'
import { projectRoot } from '../../project/project-root.ts'
import { programLines, type StartedPrograms } from '../../project/started-programs.ts'
import { isTrusted, recordTrust } from '../../project/trust.ts'
import { refuseWords } from '../open-for-reading.ts'

type TrustOutcome = 'trusted' | 'trusted_before' | 'nothing_to_trust'

/** The result of a question for trust. */
export interface TrustDocument {
  readonly outcome: TrustOutcome
  /** The project. */
  readonly directory: string
  /** A line for each program that its configuration starts. */
  readonly starts: readonly string[]
}

/** Trusts what the project around this directory starts. @throws RefusedError; then nothing was trusted. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, env } = context
  refuseWords(given.words, 'trust')
  refuseAgent(env)
  const directory = projectRoot(context.directory)
  const { programs: started } = await readConfig(directory, env)
  const outcome = await trusted({ ...context, directory }, started)
  const starts = started === null ? [] : programLines(started)
  const document: TrustDocument = { outcome, directory, starts }
  io.out(json ? jsonLine(document) : `${WORDS[outcome]}\n`)
  return 0
}

const WORDS: Record<TrustOutcome, string> = {
  trusted: 'Trusted, until the configuration changes what it starts.',
  trusted_before: 'Trusted already.',
  nothing_to_trust: 'The configuration here needs no trust.',
}

async function trusted(
  { given, io, directory, env }: CommandContext,
  started: StartedPrograms | null,
): Promise<TrustOutcome> {
  if (started === null) return 'nothing_to_trust'
  if (await isTrusted(directory, started, env)) return 'trusted_before'
  if (!given.has('yes') && !(await isAgreed({ io }, directory, started))) throw notTrusted(directory)
  await recordTrust(directory, started, env)
  return 'trusted'
}

async function isAgreed(
  { io }: Pick<CommandContext, 'io'>,
  directory: string,
  started: StartedPrograms,
): Promise<boolean> {
  const confirm = confirmAtTerminal({ io })
  if (confirm === null) return false
  const lines = programLines(started).map(line => `  ${line}\n`)
  io.out(`The configuration of ${directory} wants you to trust:\n${lines.join('')}`)
  return confirm('Trust it?')
}

/** Asks in a terminal for a project that was refused; false if it is not trusted now. */
export async function askTrust({ io, env }: Pick<CommandContext, 'io' | 'env'>, within: string): Promise<boolean> {
  const directory = projectRoot(within)
  const { programs: started } = await readConfig(directory, env)
  if (started === null || agentAround(env) !== null || !(await isAgreed({ io }, directory, started))) return false
  await recordTrust(directory, started, env)
  return true
}

/** P1: a program that an agent prepared would otherwise start outside the agent's bounds. */
function refuseAgent(env: CommandContext['env']): void {
  const agent = agentAround(env)
  if (agent === null) return
  throw new RefusedError('agent_cannot_trust', `${agent} may not trust what a project starts. Nothing was changed.`, {
    hint: 'A person must do it, outside the commands of agents.',
  })
}

function notTrusted(directory: string): RefusedError {
  return new RefusedError('project_not_trusted', `What ${directory} starts is not trusted: it was not confirmed.`, {
    hint: 'Run `holdpoint trust` in a terminal and answer yes, or `holdpoint trust --yes` in a pipeline.',
    details: { directory },
  })
}
