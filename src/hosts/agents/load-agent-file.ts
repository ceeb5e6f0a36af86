import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HoldpointError, messageOf } from '../../core/errors.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { codeDigest } from '../../tools/define/code-digest.ts'
import { AGENT_ENDINGS, type AgentEnding } from '../project/agent-files.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'
import { type AgentDefinition, type AgentOptions, defineAgent } from './define-agent.ts'

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
  if (!ending) throw agentFileRefusals.unusable(file, `its name ends in none of ${AGENT_ENDINGS.join(', ')}`)
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
  if (!exported)
    throw agentFileRefusals.unusable(file, 'it exports no agent; write `export default defineAgent({ … })`')
  const agent = bindToModule(isDefinition(exported) ? exported : defineAgent(exported), text)
  loaded.set(file, agent)
  return agent
}

async function textOf(file: string): Promise<string> {
  const text = texts.get(file) ?? (await readFile(file, 'utf8').catch(() => null))
  // The import reports best why the file cannot be read.
  if (text !== null) texts.set(file, text)
  return text ?? ''
}

async function imported(file: string): Promise<Record<string, unknown>> {
  await answerForHoldpoint()
  using _ = withoutTypelessWarning()
  try {
    return await import(pathToFileURL(file).href)
  } catch (thrown) {
    // A definition that is refused while the module loads has the best message already.
    if (thrown instanceof HoldpointError) throw thrown
    throw agentFileRefusals.unusable(file, messageOf(thrown), thrown)
  }
}

/** Node warns of a package.json that names no module type, and stderr is to stay empty. */
function withoutTypelessWarning(): Disposable {
  const { emitWarning } = process
  process.emitWarning = (...value: unknown[]) => {
    if (!value.some(isTypelessWarning)) Reflect.apply(emitWarning, process, value)
  }
  return {
    [Symbol.dispose]: () => {
      process.emitWarning = emitWarning
    },
  }
}

function isTypelessWarning(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'code' in value && value.code === 'MODULE_TYPELESS_PACKAGE_JSON'
}

function agentIn(module: Record<string, unknown>): AgentOptions | AgentDefinition | null {
  const exported = [module['default'], module['agent'], ...Object.values(module)].find(
    value => typeof value === 'object' && value !== null && 'name' in value,
  )
  return (exported as AgentOptions | undefined) ?? null
}

function isDefinition(exported: AgentOptions | AgentDefinition): exported is AgentDefinition {
  return 'kind' in exported && exported.kind === 'agent'
}

/** An agent file may import `holdpoint`. If the package is not installed near it, it gets the one that runs it. */
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

/** P9: a function in the module of a tool is part of its effect, so approvals bind the text of the module too. */
function bindToModule(agent: AgentDefinition, text: string): AgentDefinition {
  return { ...agent, tools: agent.tools?.map(tool => (typeof tool === 'string' ? tool : bound(tool, text))) ?? null }
}

function bound(tool: Tool, text: string): Tool {
  // The copy of an object of a class would lose its methods: such a tool supplies its code itself.
  if (tool.version !== undefined || !Object.hasOwn(tool, 'execute')) return tool
  const { code = () => '' } = tool
  return { ...tool, code: codeDigest(code, () => text) }
}
