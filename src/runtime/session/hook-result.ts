/** Refuses a hook's result that says something unknown: a misspelled `block` must not let a call pass. */
import { A_FLAG, A_TEXT, type FieldRule } from '../../core/given-fields.ts'
import { MODEL_OPTIONS } from '../../core/settings/model-settings.ts'
import type { Hooks } from '../../ports/agent/plugin.ts'

/** The other modules check these further, each with its own words. */
const ANY: FieldRule = ['anything', () => true]
const setState = ANY

type Known = Readonly<Record<string, FieldRule>>

const KNOWN: Readonly<Record<keyof Hooks, Known>> = {
  runStart: { setState },
  stepStart: { setState },
  beforeInference: {
    ...Object.fromEntries(['system', 'tools', 'model', ...MODEL_OPTIONS].map(name => [name, ANY])),
    skip: A_FLAG,
    setState,
  },
  afterInference: { calls: ANY, end: A_FLAG, setState },
  beforeToolExecute: { block: A_TEXT, suspend: ANY, setResult: ANY, deny: ANY, because: A_TEXT, setState },
  afterToolExecute: { setResult: ANY, setError: ANY, setState },
  stepEnd: { continueWith: A_TEXT, setState },
  runEnd: { setState },
}

/** `undefined`, `null` and `{}` alone mean nothing. @throws TypeError: then the hook has failed. */
export function checkHookResult(phase: keyof Hooks, said: unknown): void {
  if (said === undefined || said === null) return
  const known = KNOWN[phase]
  if (!isResult(said)) throw unknown(`${inWords(said)} from ${phase}, which says nothing`, known)
  for (const [key, value] of Object.entries(said)) {
    const rule = Object.hasOwn(known, key) ? known[key] : undefined
    if (!rule) throw unknown(`${JSON.stringify(key)} from ${phase}, which is not known there`, known)
    checkValue(`${key} from ${phase}`, value, rule)
  }
}

function checkValue(what: string, value: unknown, [wanted, fits]: FieldRule): void {
  if (value === undefined || fits(value)) return
  throw new TypeError(`it returned ${what} with ${inWords(value)}; it must be ${wanted}`)
}

/** An error or a map has no keys of its own, and does not mean nothing. */
function isResult(said: unknown): said is object {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return false
  return Object.keys(said).length > 0 || isPlain(said)
}

/** Also if it comes from another realm. */
function isPlain(said: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(said)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function unknown(what: string, known: Known): TypeError {
  return new TypeError(`it returned ${what}; known: ${Object.keys(known).join(', ')}`)
}

function inWords(value: unknown): string {
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return value === null ? 'null' : 'an object without fields'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
