/** `holdpoint init`: the first files of a project. Files that are there already stay as they are. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf, RefusedError } from '../../../core/errors.ts'
import { makeDirectories } from '../../../core/make-directories.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { type ProviderKey, providerKeys } from '../../compose/provider-keys.ts'
import { agentAround } from '../../process/agent-around.ts'
import { shellWord } from '../../process/shell-word.ts'
import { isAgentName } from '../../project/agent-files.ts'
import { makeProjectIn, readConfig } from '../../project/project.ts'
import { readUserSettings } from '../../project/user-settings.ts'
import { STARTER_AGENT, STARTER_POLICY, STARTER_SCRIPT, starterConfig } from './starter-files.ts'

const USUAL_NAME = 'assistant'
/** Ignored by git: a first run is for the person who makes it. */
const SCRIPT = 'first-run.yaml'

/** The result of setting up a directory. */
export interface SetupDocument {
  readonly outcome: 'initialized'
  /** The `.holdpoint/`. */
  readonly directory: string
  /** A file that was there before was kept as it was. */
  readonly files: readonly { readonly path: string; readonly status: 'written' | 'kept' }[]
  /** The next command, to be pasted into a shell. */
  readonly next: string
}

interface StarterFile {
  /** Below `.holdpoint/`. */
  readonly path: string
  readonly text: string
  readonly about: string
}

interface Kept extends StarterFile {
  readonly status: 'written' | 'kept'
}

interface Setup {
  readonly directory: string
  readonly files: readonly Kept[]
  /** The words of the next command. */
  readonly next: readonly string[]
  readonly needsKey: boolean
}

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, env } = context
  refuseAgent(env)
  const setup = await setUp(context, nameIn(given.words))
  const { directory, files } = setup
  const next = `holdpoint ${setup.next.map(shellWord).join(' ')}`
  const document: SetupDocument = {
    outcome: 'initialized',
    directory,
    files: files.map(({ path, status }) => ({ path: join(directory, path), status })),
    next,
  }
  io.out(json ? jsonLine(document) : asText(setup, next))
  return 0
}

async function setUp({ directory, env }: CommandContext, name: string): Promise<Setup> {
  const within = makeProjectIn(directory)
  const hasModel = (env['HOLDPOINT_MODEL'] || (await readUserSettings(env)).model) !== null
  const model = hasModel ? null : (modelsWithKeys(env)[0]?.example ?? null)
  const files = starterFiles(name, model).map(file => keep(within, file))
  const config = await readConfig(directory, env)
  const isChosen = Boolean(env['HOLDPOINT_MODEL'] || config.model)
  const script = isChosen ? [] : [keep(within, SCRIPT_FILE)]
  const agent = config.agent === name ? [] : ['--agent', name]
  const task = isChosen
    ? ['Run the command date, and tell me what it printed.']
    : ['--model', `script:.holdpoint/${SCRIPT}`, 'Write a greeting.']
  return { directory: within, files: [...files, ...script], next: [...agent, ...task], needsKey: !isChosen }
}

function modelsWithKeys(env: CommandContext['env']): ProviderKey[] {
  return providerKeys(env).filter(({ variable, isRequired }) => variable !== null && isRequired)
}

function starterFiles(name: string, model: string | null): readonly StarterFile[] {
  return [
    { path: 'config.json', text: starterConfig({ agent: name, model }), about: 'the settings of the project' },
    { path: 'policy.json', text: STARTER_POLICY, about: 'which calls run, ask, or never run' },
    { path: `agents/${name}.md`, text: STARTER_AGENT, about: 'an agent: say there what it does' },
  ]
}

const SCRIPT_FILE: StarterFile = { path: SCRIPT, text: STARTER_SCRIPT, about: 'a scripted model, for a first run' }

/** Never writes over a file. */
function keep(within: string, file: StarterFile): Kept {
  const path = join(within, file.path)
  try {
    makeDirectories(dirname(path), each => mkdirSync(each, { mode: 0o700 }))
    writeFileSync(path, file.text, { flag: 'wx', mode: 0o600 })
    return { ...file, status: 'written' }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return { ...file, status: 'kept' }
    throw new RefusedError('unusable_directory', `${path} cannot be written: ${messageOf(thrown)}.`, {
      hint: 'Make the directory writable, and run it again: it writes what is missing.',
      cause: thrown,
    })
  }
}

function nameIn(words: readonly string[]): string {
  const [name = USUAL_NAME, ...more] = words
  if (more.length === 0 && isAgentName(name)) return name
  throw new RefusedError('invalid_arguments', `${JSON.stringify(words.join(' '))} is no name for an agent.`, {
    hint: 'Write `holdpoint init`, or `holdpoint init deployer`: 1 to 64 letters, digits, dashes or underscores.',
  })
}

/** P1: an agent would choose the rules of its own project. */
function refuseAgent(env: CommandContext['env']): void {
  const agent = agentAround(env)
  if (agent === null) return
  throw new RefusedError('agent_cannot_init', `${agent} may not set up a project. Nothing was written.`, {
    hint: 'A person must do it, outside the commands of agents.',
  })
}

function asText({ directory, files, needsKey }: Setup, next: string): string {
  const width = Math.max(...files.map(({ path }) => path.length))
  const lines = files.map(({ path, status, about }) => `  ${status.padEnd(7)}  ${path.padEnd(width)}  ${about}`)
  return `${visibleLine(directory)}:\n${lines.join('\n')}\n\n${needsKey ? WITHOUT_KEY : ''}Next, a run that waits for you before it runs a command:\n  ${next}\n`
}

const WITHOUT_KEY = `No model is chosen, so the first run has a scripted one. For a real one set
ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, and "model" in config.json.

`
