import { toolRefusals } from '../core/refusals/tool-refusals.ts'
import type { JsonObject } from '../core/text/json.ts'

/** A call of a scripted turn. `raw_args` is sent unchanged, even if it is no JSON; without either, `{}` is sent. */
interface ScriptCall {
  readonly id?: string
  readonly name: string
  readonly args?: JsonObject
  readonly raw_args?: string
}

/** The turn fails after its text, each time it is asked for; with `times`, only so many times in this process. */
export interface ScriptFailure {
  readonly message: string
  readonly retryable?: boolean
  readonly times?: number
}

/** An answer of a scripted model. */
export interface ScriptTurn {
  readonly text?: string
  readonly calls?: readonly ScriptCall[]
  /** Tokens; what is not given counts as none. */
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cached?: number }
  /** Why the answer ends, such as `length`. Default: `tool-calls` or `stop`. */
  readonly finish_reason?: string
  readonly delay_ms?: number
  readonly error?: ScriptFailure
}

/** The turns of a scripted model (docs/design/library.md#scripted-models). A plain text is a turn of that text. */
export type Script = readonly (ScriptTurn | string)[]

type Check = (value: unknown, place: string) => void

class Misfit extends Error {}

const text = expects('a text', value => typeof value === 'string')
const flag = expects('true or false', value => typeof value === 'boolean')
const count = expects('a whole number, 0 or more', value => Number.isSafeInteger(value) && Number(value) >= 0)
const name = expects('a name', value => typeof value === 'string' && value.trim() !== '')
const object = expects('an object', isObject)

const CALL: Check = (value, place) => {
  fields({ id: name, name, args: object, raw_args: text }, ['name'])(value, place)
  if (isObject(value) && 'args' in value && 'raw_args' in value) {
    throw new Misfit(`${place} has both args and raw_args; give one`)
  }
}

const TURN = fields({
  text,
  calls: listOf(CALL),
  usage: fields({ input: count, output: count, cached: count }),
  finish_reason: name,
  delay_ms: count,
  error: fields({ message: text, retryable: flag, times: count }, ['message']),
})

/**
 * Takes `value` for a script; `source` names it in messages.
 * @throws RefusedError `invalid_script` for anything that is not one, also for keys a script does not know.
 */
export function asScript(value: unknown, source: string): Script {
  if (!Array.isArray(value)) throw toolRefusals.invalidScript(source, `it is ${kindOf(value)}, not a list of turns`)
  try {
    for (const [index, turn] of value.entries()) if (typeof turn !== 'string') TURN(turn, `turn ${index + 1}`)
  } catch (fault) {
    if (fault instanceof Misfit) throw toolRefusals.invalidScript(source, fault.message)
    throw fault
  }
  return value
}

function expects(what: string, fits: (value: unknown) => boolean): Check {
  return (value, place) => {
    if (!fits(value)) throw new Misfit(`${place} is ${kindOf(value)}, not ${what}`)
  }
}

function listOf(check: Check): Check {
  return (value, place) => {
    if (!Array.isArray(value)) throw new Misfit(`${place} is ${kindOf(value)}, not a list`)
    for (const [index, item] of value.entries()) check(item, `${place}[${index}]`)
  }
}

function fields(checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, place) => {
    if (!isObject(value)) throw new Misfit(`${place} is ${kindOf(value)}, not an object`)
    const missing = required.find(key => value[key] === undefined)
    if (missing) throw new Misfit(`${place} has no ${missing}`)
    const known = Object.keys(checks)
    const unknown = Object.keys(value).find(key => !known.includes(key))
    if (unknown !== undefined) throw new Misfit(`${place} has an unknown key "${unknown}"; known: ${known.join(', ')}`)
    for (const key of Object.keys(value)) checks[key]?.(value[key], `${place}, ${key}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : JSON.stringify(value)
}
