/**
 * The patterns of a JSON Schema, taken out of the library that would run them as JavaScript does: one of them could hold
 * the process for ever. They run in `core/pattern`, and what that cannot run has a deadline.
 */
import type { OutputUnit } from '@cfworker/json-schema'
import { readPattern } from '../../../core/pattern/pattern.ts'
import { isFound } from '../../../core/pattern/try-pattern.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/text/json.ts'
import { BY_NAME, DATA } from './schema-fault.ts'
import { tryWithin } from './try-within.ts'

type Formats = Record<string, (text: string) => boolean>

/** Formats of this name are patterns; the original format is kept with them. */
const MARK = 'holdpoint pattern '

/** A schema without patterns: each is a format, or names the properties of one value that it fits. */
export interface Unpatterned {
  readonly schema: JsonObject
  readonly formats: readonly string[]
  /** True if it holds for one value alone. */
  readonly isForValue: boolean
  /** The replacement at each place of the schema, with the original. */
  readonly renamed: ReadonlyMap<string, string>
}

export function withoutPatterns(schema: JsonObject, value: Json): Unpatterned {
  const taken: Taken = { formats: new Set(), renamed: new Map(), names: null, value }
  const without = taking(schema, taken) as JsonObject
  return { schema: without, formats: [...taken.formats], isForValue: taken.names !== null, renamed: taken.renamed }
}

interface Taken {
  readonly formats: Set<string>
  readonly renamed: Map<string, string>
  readonly value: Json
  /** The names of all properties in the value; `null` until they are needed. */
  names: readonly string[] | null
}

function taking(schema: Json, taken: Taken): Json {
  if (Array.isArray(schema)) return schema.map(each => taking(each, taken))
  if (!isJsonObject(schema)) return schema
  const { pattern, ...rest } = schema
  const isTaken = typeof pattern === 'string' && isExpression(pattern)
  const entries = Object.entries(isTaken ? rest : schema)
  const below = Object.fromEntries(entries.map(([keyword, each]) => [keyword, keywordTaken(keyword, each, taken)]))
  if (!isTaken) return below
  const format = MARK + JSON.stringify([pattern, typeof rest['format'] === 'string' ? rest['format'] : null])
  taken.formats.add(format)
  return { ...below, format }
}

/** For other patterns, the library reports that the schema cannot be applied. */
function isExpression(pattern: string): boolean {
  const read = readPattern(pattern)
  return 'test' in read || read.isIrregular
}

function keywordTaken(keyword: string, value: Json, taken: Taken): Json {
  if (DATA.has(keyword)) return value
  if (!BY_NAME.has(keyword) || !isJsonObject(value)) return taking(value, taken)
  const name = (each: string) => (keyword === 'patternProperties' && isExpression(each) ? renamed(each, taken) : each)
  return Object.fromEntries(Object.entries(value).map(([each, schema]) => [name(each), taking(schema, taken)]))
}

/** A pattern of names as the names that it fits. Each has a tail of its own, since two may fit the same. */
function renamed(pattern: string, taken: Taken): string {
  taken.names ??= [...new Set(namesIn(taken.value))]
  const found = taken.names.filter(name => isFound(pattern, name, tryWithin))
  const literals = found.map(name => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const written = `^(?:${[...literals, ...Array(taken.renamed.size + 1).fill('[]')].join('|')})$`
  taken.renamed.set(written, pattern)
  return written
}

function namesIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(namesIn)]
}

/** Validates while the library knows the formats. It takes no others, and keeps them for itself. */
export function withFormats<Result>(known: Formats, formats: readonly string[], validate: () => Result): Result {
  for (const name of formats) known[name] = text => fits(known, name, text)
  try {
    return validate()
  } finally {
    for (const name of formats) delete known[name]
  }
}

function fits(known: Formats, name: string, text: string): boolean {
  const [pattern, format] = JSON.parse(name.slice(MARK.length)) as [string, string | null]
  return isFound(pattern, text, tryWithin) && (format === null || known[format]?.(text) !== false)
}

/** The issues as the schema was written. */
export function asWritten(units: readonly OutputUnit[], { renamed: names }: Unpatterned): OutputUnit[] {
  return units.map(unit => {
    const isPattern = unit.keyword === 'format' && unit.error.includes(MARK)
    const place = isPattern ? unit.keywordLocation.replace(/format$/, 'pattern') : unit.keywordLocation
    const keywordLocation = [...names].reduce((at, [now, was]) => at.replaceAll(pointed(now), pointed(was)), place)
    return {
      ...unit,
      keywordLocation,
      ...(isPattern && { keyword: 'pattern', error: 'String does not match pattern.' }),
    }
  })
}

function pointed(name: string): string {
  return encodeURI(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('#', '%23')
}
