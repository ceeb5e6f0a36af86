import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { MODEL_OPTIONS, MODEL_SETTINGS } from '../../core/settings/model-settings.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { isTooDeepToParse, treeFault } from '../../core/text/tree-fault.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'
import { type AgentDefinition, type AgentOptions, defineAgent } from './define-agent.ts'

/** From a first line that is `---` to the next one. */
const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n([\s\S]*))?$/

const OPENED = /^---[ \t]*(?:\r?\n|$)/

/** Keys of the front matter, and the option each one sets. */
const KEYS: Readonly<Record<string, keyof AgentOptions>> = {
  name: 'name',
  model: 'model',
  ...Object.fromEntries(MODEL_OPTIONS.map(option => [MODEL_SETTINGS[option], option])),
  tools: 'tools',
  policy: 'policy',
  stop: 'stop',
  pause_on: 'pauseOn',
  hold_scope: 'holdScope',
  max_concurrent_calls: 'maxConcurrentCalls',
  context: 'context',
  due: 'due',
  deciders: 'deciders',
  interactive: 'interactive',
  idle_timeout: 'idleTimeout',
  on_idle: 'onIdle',
}

/** Front matter names the agent and what it may do; the body is its instructions. @throws RefusedError `invalid_agent` */
export async function readMarkdownAgent(file: string): Promise<AgentDefinition> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw agentFileRefusals.unusable(file, messageOf(thrown), thrown)
  })
  const { head, body } = partsOf(file, text)
  const options: Record<string, unknown> = { name: basename(file, '.md'), instructions: body.trim() }
  for (const [key, value] of Object.entries(await frontMatter(file, head))) {
    const option = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
    if (!option)
      throw agentFileRefusals.unusable(
        file,
        `its front matter has a key ${JSON.stringify(key)}; known: ${Object.keys(KEYS).join(', ')}`,
      )
    options[option] = value
  }
  if (options['tools'] !== undefined) options['tools'] = toolNames(file, options['tools'])
  return defineAgent(options as unknown as AgentOptions)
}

/** Front matter that is not closed is no instructions: with it a policy would get lost. */
function partsOf(file: string, text: string): { readonly head: string; readonly body: string } {
  const content = text.replace(/^\uFEFF/, '')
  const match = FRONT_MATTER.exec(content)
  if (match) return { head: match[1] ?? '', body: match[2] ?? '' }
  if (!OPENED.test(content)) return { head: '', body: content }
  throw agentFileRefusals.unusable(file, 'its front matter begins with a line --- but does not end with one')
}

async function frontMatter(file: string, head: string): Promise<JsonObject> {
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(head) ?? {}
  } catch (thrown) {
    if (isTooDeepToParse(thrown))
      throw agentFileRefusals.unusable(file, 'its front matter is nested too deeply', thrown)
    throw agentFileRefusals.unusable(file, `its front matter is not YAML: ${messageOf(thrown)}`, thrown)
  }
  const fault = treeFault(value)
  if (fault) throw agentFileRefusals.unusable(file, `its front matter ${fault}`)
  if (typeof value === 'object' && !Array.isArray(value)) return value as JsonObject
  throw agentFileRefusals.unusable(file, 'its front matter must be keys and values')
}

/** `[a, b]`, or `a, b` as many write it. */
function toolNames(file: string, value: unknown): string[] {
  const names: unknown = typeof value === 'string' ? value.split(/[\s,]+/).filter(name => name !== '') : value
  if (Array.isArray(names) && names.every(name => typeof name === 'string')) return names
  throw agentFileRefusals.unusable(file, 'tools must be a list of names')
}
