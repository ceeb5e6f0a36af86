import type { Hooks, Plugin } from '../../ports/agent/plugin.ts'

const PHASES: Record<keyof Hooks, true> = {
  runStart: true,
  stepStart: true,
  beforeInference: true,
  afterInference: true,
  beforeToolExecute: true,
  afterToolExecute: true,
  stepEnd: true,
  runEnd: true,
}

const PLUGIN_KEYS: Record<keyof Plugin, true> = { name: true, initialState: true, hooks: true }

/** A misspelled key would be as good as none. The fields of a class are its own. */
function otherKey(plugin: Plugin | null): string | undefined {
  if (plugin === null || Object.getPrototypeOf(plugin) !== Object.prototype) return undefined
  return Object.keys(plugin).find(key => !Object.hasOwn(PLUGIN_KEYS, key))
}

/** The fault, as the rest of a sentence that begins with the agent's name; `null` if the plugins are usable. */
export function faultOfPlugins(plugins: readonly Plugin[]): string | null {
  if (!Array.isArray(plugins)) return 'its plugins must be a list'
  const fault = plugins.map(faultOfPlugin).find(each => each !== null)
  if (fault) return fault
  const names = ['policy', ...plugins.map(({ name }) => name)]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? null : `it has two plugins named ${twice} (policy is Holdpoint's own)`
}

function faultOfPlugin(plugin: Plugin | null): string | null {
  const { name, hooks } = plugin ?? { name: '', hooks: null }
  if (typeof name !== 'string' || name === '') return 'it has a plugin without a name'
  if (typeof hooks !== 'object' || hooks === null) return `its plugin ${name} has no hooks`
  const other = otherKey(plugin)
  if (other !== undefined)
    return `its plugin ${name} has a key ${JSON.stringify(other)}; possible: ${Object.keys(PLUGIN_KEYS).join(', ')}`
  const unknown = Object.keys(hooks).find(phase => !Object.hasOwn(PHASES, phase))
  if (unknown === undefined) return null
  return `its plugin ${name} has a hook ${JSON.stringify(unknown)}; possible: ${Object.keys(PHASES).join(', ')}`
}
