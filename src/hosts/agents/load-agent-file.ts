import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HoldpointError, messageOf } from '../../core/errors.ts'
import { AGENT_ENDINGS, type AgentEnding } from '../project/agent-files.ts'
import { bindToModule } from './bind-to-module.ts'
import { type AgentDefinition, type AgentOptions, defineAgent } from './define-agent.ts'
import { unusableAgentFile } from './unusable-agent-file.ts'

type Loader = (file: string) => Promise<AgentDefinition>

const LOADERS: Readonly<Record<AgentEnding, Loader>> = {
  '.ts': loadModule,
  '.mts': loadModule,
  '.js': loadModule,
  '.mjs': loadModule,
  '.md': async file => (await import('./read-markdown-agent.ts')).readMarkdownAgent(file),
}

/** An agent from a module that exports one, or from Markdown with front matter. `file` is absolute. @throws RefusedError `invalid_agent` */
export async function loadAgentFile(file: string): Promise<AgentDefinition> {
  const ending = AGENT_ENDINGS.find(known => known === extname(file))
  if (!ending) throw unusableAgentFile(file, `its name ends in none of ${AGENT_ENDINGS.join(', ')}`)
  return LOADERS[ending](file)
}

/** A process keeps a module as it first loaded it, and with it the text that it had then. */
const texts = new Map<string, string>()
const loaded = new Map<string, AgentDefinition>()

async function loadModule(file: string): Promise<AgentDefinition> {
  const known = loaded.get(file)
  if (known) return known
  const text = await textOf(file)
  const exported = agentIn(await imported(file))
  if (!exported) throw unusableAgentFile(file, 'it exports no agent; write `export default defineAgent({ … })`')
  const agent = bindToModule(isDefinition(exported) ? exported : defineAgent(exported), text)
  loaded.set(file, agent)
  return agent
}

async function textOf(file: string): Promise<string> {
  const text = texts.get(file) ?? (await readFile(file, 'utf8').catch(() => null))
  // Its import says best why it cannot be read.
  if (text !== null) texts.set(file, text)
  return text ?? ''
}

async function imported(file: string): Promise<Record<string, unknown>> {
  await answerForHoldpoint()
  using _ = withoutTypelessWarning()
  try {
    return await import(pathToFileURL(file).href)
  } catch (thrown) {
    // A definition that is refused while the module loads says best itself what is wrong.
    if (thrown instanceof HoldpointError) throw thrown
    throw unusableAgentFile(file, messageOf(thrown), thrown)
  }
}

/** Node warns of a package.json that names no module type, and stderr is to stay empty. */
function withoutTypelessWarning(): Disposable {
  const { emitWarning } = process
  process.emitWarning = (...said: unknown[]) => {
    if (!said.some(isTypelessWarning)) Reflect.apply(emitWarning, process, said)
  }
  return {
    [Symbol.dispose]: () => {
      process.emitWarning = emitWarning
    },
  }
}

function isTypelessWarning(said: unknown): boolean {
  return typeof said === 'object' && said !== null && 'code' in said && said.code === 'MODULE_TYPELESS_PACKAGE_JSON'
}

function agentIn(module: Record<string, unknown>): AgentOptions | AgentDefinition | null {
  const found = [module['default'], module['agent'], ...Object.values(module)].find(
    value => typeof value === 'object' && value !== null && 'name' in value,
  )
  return (found as AgentOptions | undefined) ?? null
}

function isDefinition(exported: AgentOptions | AgentDefinition): exported is AgentDefinition {
  return 'kind' in exported && exported.kind === 'agent'
}

/** An agent file may import `holdpoint`. If that is not installed beside it, it gets the one that runs it. */
let answers = false

async function answerForHoldpoint(): Promise<void> {
  if (answers) return
  answers = true
  const { registerHooks } = await import('node:module')
  const front = frontDoor()
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context)
      } catch (thrown) {
        if (specifier !== 'holdpoint') throw thrown
        return { url: front, shortCircuit: true }
      }
    },
  })
}

/** The library's entry, as seen from `dist/cli`, from `dist/lib` and from the source. */
function frontDoor(): string {
  const entry = import.meta.filename.endsWith('.ts') ? '../../index.ts' : '../index.js'
  return pathToFileURL(join(import.meta.dirname, entry)).href
}
