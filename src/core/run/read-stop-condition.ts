import { inWords } from '../given-fields.ts'
import { readPattern } from '../pattern/pattern.ts'
import type { StopCondition } from './stop-condition.ts'

type Read = readonly [field: string, isValid: (value: unknown) => boolean, wanted: string]

const LIFETIME: Read = ['lifetime', value => typeof value === 'boolean', 'true or false']

/** The field that each condition needs, and one that it may have. */
const FIELDS: { readonly [K in StopCondition['type']]: readonly [Read, Read?] } = {
  max_rounds: [['rounds', isCount, 'a whole number from 1'], LIFETIME],
  timeout: [['seconds', isPositive, 'a number above 0'], LIFETIME],
  token_budget: [['max_total', isCount, 'a whole number from 1'], LIFETIME],
  budget: [['usd', isPositive, 'dollars above 0'], LIFETIME],
  consecutive_errors: [['max', isCount, 'a whole number from 1']],
  stop_on_tool: [
    ['tool_name', value => typeof value === 'string' && value !== '', 'the name of a tool'],
    ['on', value => value === 'call' || value === 'success', 'call or success'],
  ],
  content_match: [['pattern', isPattern, 'a regular expression as JavaScript reads it with the flag u']],
  loop_detection: [['window', value => isCount(value) && value !== 1, 'a whole number from 2']],
  max_pauses: [['pauses', isCount, 'a whole number from 1']],
}

/** The fault of a stop condition that came from a file or from untyped code; `null` if it has none. */
export function objectionToStop(condition: unknown): string | null {
  if (!isRecord(condition)) return notOne(inWords(condition))
  const { type, ...given } = condition
  if (type === undefined) return notOne(`one with ${Object.keys(given).join(', ') || 'nothing'} alone`)
  if (!isType(type)) return `it stops on ${inWords(type)}; possible: ${Object.keys(FIELDS).join(', ')}`
  const [[field, isValid, wanted], option] = FIELDS[type]
  if (!isValid(given[field])) return `${type} needs ${field}, ${wanted}, not ${inWords(given[field])}`
  const unfit = objectionToPattern(type, given[field])
  if (unfit !== null) return unfit
  const more = Object.keys(given).find(key => key !== field && key !== option?.[0])
  if (more !== undefined) return `${type} takes ${field} ${option ? `and ${option[0]}` : 'alone'}, not ${inWords(more)}`
  return option ? objectionToOption(type, option, given[option[0]]) : null
}

function objectionToOption(type: string, [field, isValid, wanted]: Read, value: unknown): string | null {
  return value === undefined || isValid(value) ? null : `${type} takes ${field}, ${wanted}, not ${inWords(value)}`
}

function notOne(what: string): string {
  return `a stop condition has a type and what that needs, like { type: max_rounds, rounds: 20 }; ${what} is none`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list of one name would pass for that name as a key. */
function isType(value: unknown): value is StopCondition['type'] {
  return typeof value === 'string' && Object.hasOwn(FIELDS, value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false
  const pattern = readPattern(value)
  return 'test' in pattern || pattern.isIrregular
}

/** A pattern is taken only if it is sure to end on any text. */
function objectionToPattern(type: StopCondition['type'], value: unknown): string | null {
  if (type !== 'content_match') return null
  const pattern = readPattern(String(value))
  return 'fault' in pattern ? `content_match cannot use ${inWords(value)}: ${pattern.fault}` : null
}
