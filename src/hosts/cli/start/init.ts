/** `holdpoint init`: the first files of a project. Files that are there already stay as they are. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { agentRegistry } from '../../compose/compose.ts'
import { type ProviderKey, providerKeys } from '../../compose/provider-keys.ts'
import { tellPolicy } from '../../offering/tell-policy.ts'
import { refuseAgent } from '../../process/lineage/refuse-agent.ts'
import { shellWord } from '../../process/shell-word.ts'
import { isAgentName, PROJECT_AGENTS } from '../../project/agent-files.ts'
import { makeProjectIn, readConfig } from '../../project/project.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'
import { keepFile, type Setup, type StarterFile, setupDocument, setupText } from './setup.ts'
import { type ProjectLook, starterEffects } from './starter-effects.ts'
import { STARTER_SCRIPT, starterAgent, starterConfig, starterPolicy, usualCommands } from './starter-files.ts'

const USUAL_NAME = 'assistant'
const POLICY = 'policy.json'

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, env } = context
  // P1: an agent would choose the rules of its own project.
  refuseAgent(env, projectRefusals.agentCannotInit)
  const setup = await setUp(context, nameIn(given.words))
  if (setup.files.some(({ path, status }) => path === POLICY && status === 'kept')) await tellKept(context)
  io.out(json ? jsonLine(setupDocument(setup)) : textOf(setup))
  return 0
}

/** An agent that plays a script is one without a key. */
interface InitialSetup extends Setup {
  readonly needsKey: boolean
}

async function setUp({ directory, env }: CommandContext, name: string): Promise<InitialSetup> {
  const within = makeProjectIn(directory)
  const chosen = env['HOLDPOINT_MODEL'] || (await readConfig(directory, env)).model
  const model = chosen ? null : (modelsWithKeys(env)[0]?.example ?? null)
  const needsKey = !chosen && model === null
  const script = needsKey ? `${PROJECT_AGENTS}/${name}.yaml` : null
  const files = starterFiles(within, { name, model, script }).map(file => keepFile(within, file))
  const config = await readConfig(directory, env)
  const agent = config.agent === name ? [] : ['--agent', name]
  const hasOwnScript = files.some(({ path, status }) => path === agentPath(name) && status === 'written')
  const play = script === null || hasOwnScript ? [] : ['--model', `script:${script}`]
  const task = script === null ? 'Run the command date > date.txt.' : 'Write a greeting.'
  const next = ['holdpoint', ...agent, ...play, task].map(shellWord).join(' ')
  return { directory: within, files, next, needsKey }
}

function modelsWithKeys(env: CommandContext['env']): ProviderKey[] {
  return providerKeys(env).filter(({ variable, isRequired }) => variable !== null && isRequired)
}

interface Chosen {
  readonly name: string
  readonly model: string | null
  readonly script: string | null
}

function starterFiles(within: string, { name, model, script }: Chosen): readonly StarterFile[] {
  const played = { path: `agents/${name}.yaml`, text: STARTER_SCRIPT, about: 'what its scripted model says' }
  return [
    ...settingsFiles(dirname(within), { agent: name, about: `${PROJECT_AGENTS}/${name}.md`, model }),
    {
      path: agentPath(name),
      text: starterAgent(script === null ? null : `${name}.yaml`),
      about: 'an agent: say there what it does',
    },
    ...(script === null ? [] : [played]),
  ]
}

function agentPath(name: string): string {
  return `agents/${name}.md`
}

/** The settings and the policy for the project in `root`. */
export function settingsFiles(root: string, settings: Parameters<typeof starterConfig>[0]): readonly StarterFile[] {
  const policy = starterPolicy(usualCommands(readIn(root)), starterEffects(lookIn(root)))
  return [
    { path: 'config.json', text: starterConfig(settings), about: 'the settings of the project' },
    { path: POLICY, text: policy, about: 'which calls run, ask, or never run' },
  ]
}

function lookIn(root: string): ProjectLook {
  const ignored = (readIn(root)('.gitignore') ?? '').split('\n').map(line => line.trim().replaceAll(/^\/|\/$/g, ''))
  return { has: path => existsSync(join(root, path)), ignores: name => ignored.includes(name) }
}

/** Reads files of a directory; `null` for one that cannot be read. */
function readIn(directory: string): (file: string) => string | null {
  return file => {
    try {
      return readFileSync(join(directory, file), 'utf8')
    } catch {
      return null
    }
  }
}

/** A policy that was there before may have lines that do nothing. */
async function tellKept({ directory, env, io }: CommandContext): Promise<void> {
  const config = await readConfig(directory, env)
  await using agents = agentRegistry({ directory, env })
  await tellPolicy({ directory, env, config, agents }, io)
}

function nameIn(words: readonly string[]): string {
  const [name = USUAL_NAME, ...more] = words
  if (more.length === 0 && isAgentName(name)) return name
  throw argumentRefusals.invalidName(words)
}

function textOf(setup: InitialSetup): string {
  const next = `Next, a run that waits for you before its command changes a file:\n  ${setup.next}\n`
  return `${setupText(setup)}\n${setup.needsKey ? WITHOUT_KEY : ''}${next}`
}

const WITHOUT_KEY = `No model is chosen, so the agent plays a script. For a real one set ANTHROPIC_API_KEY,
OPENAI_API_KEY or GEMINI_API_KEY, and the model in the file of the agent.

`
