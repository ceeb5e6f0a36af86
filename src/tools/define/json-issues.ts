import type { OutputUnit } from '@cfworker/json-schema'
import type { Json, JsonObject } from '../../core/text/json.ts'
import { jsonPath } from '../../core/text/json-path.ts'

export interface Checked {
  readonly schema: JsonObject
  readonly value: Json
  /** The name of the whole value. */
  readonly root: string
}

const MOST_ISSUES = 8
const MOST_CHOICES = 20

/** Keywords whose own entry only repeats that something below failed, which has its own entry. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'dependentSchemas'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ...['allOf', 'if', '$ref', '$recursiveRef'],
])

/** One line that a model or a person can act on: `arguments.timeout_seconds: must be a number, not a string`. */
export function describeIssues(errors: readonly OutputUnit[], checked: Checked): string {
  const issues = [...new Set(tell(errors, checked))]
  const rest = issues.length - MOST_ISSUES
  const more = rest > 0 ? [`and ${rest} more`] : []
  return [...issues.slice(0, MOST_ISSUES), ...more].join('; ')
}

function tell(errors: readonly OutputUnit[], checked: Checked): string[] {
  const issues: string[] = []
  for (let at = 0; at < errors.length; at++) {
    const unit = errors[at]
    if (!unit || WRAPPERS.has(unit.keyword)) continue
    const below = swallows(unit) ? belowOf(errors, at) : []
    issues.push(...tellOne(unit, { below, before: errors[at - 1], checked }))
    at += below.length
  }
  return issues
}

interface Around {
  readonly below: readonly OutputUnit[]
  readonly before: OutputUnit | undefined
  readonly checked: Checked
}

function tellOne(unit: OutputUnit, { below, before, checked }: Around): string[] {
  if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf') return tellBranches(unit, below, checked)
  if (unit.keyword === 'false') return [`${pathOf(unit, checked)}: ${notAllowed(before, checked)}`]
  if (unit.keyword === 'required') {
    const name = /property "(.*)"\.$/s.exec(unit.error)?.[1] ?? ''
    return [`${jsonPath(checked.root, [...segmentsOf(unit, checked.value), name])}: is required`]
  }
  const wanted = schemaAt(checked.schema, unit.keywordLocation)
  const message = wanted === undefined ? undefined : MESSAGES[unit.keyword]?.(wanted, valueAt(checked.value, unit))
  return [`${pathOf(unit, checked)}: ${message ?? oneLine(unit.error)}`]
}

const MESSAGES: Readonly<Record<string, (wanted: Json, value: Json) => string>> = {
  type: (wanted, value) => `must be ${listOf(wanted).map(kindName).join(' or ')}, not ${kindName(kindOf(value))}`,
  enum: wanted => `must be one of ${choices(listOf(wanted))}`,
  const: wanted => `must be ${JSON.stringify(wanted)}`,
  minimum: wanted => `must be at least ${wanted}`,
  maximum: wanted => `must be at most ${wanted}`,
  exclusiveMinimum: wanted => `must be greater than ${wanted}`,
  exclusiveMaximum: wanted => `must be less than ${wanted}`,
  multipleOf: wanted => `must be a multiple of ${wanted}`,
  minLength: wanted => (wanted === 1 ? 'must not be empty' : `must have at least ${wanted} characters`),
  maxLength: wanted => `must have at most ${wanted} characters`,
  pattern: wanted => `must match the pattern ${wanted}`,
  format: wanted => `must have the format ${wanted}`,
  minItems: wanted => `must have at least ${wanted} ${wanted === 1 ? 'item' : 'items'}`,
  maxItems: wanted => `must have at most ${wanted} ${wanted === 1 ? 'item' : 'items'}`,
  uniqueItems: () => 'must not have the same item twice',
  minProperties: wanted => `must have at least ${wanted} ${wanted === 1 ? 'property' : 'properties'}`,
  maxProperties: wanted => `must have at most ${wanted} ${wanted === 1 ? 'property' : 'properties'}`,
}

/** If one of several forms was clearly meant, only its issues help. */
function tellBranches(unit: OutputUnit, below: readonly OutputUnit[], checked: Checked): string[] {
  const where = pathOf(unit, checked)
  if (/\([2-9]\d* matches\)|\(1\d+ matches\)/.test(unit.error))
    return [`${where}: fits more than one of the allowed forms`]
  const branches = Object.values(Object.groupBy(below, inner => branchOf(unit, inner))).filter(
    units => units !== undefined,
  )
  const types = branches.map(units => onlyTypeError(unit, units, checked))
  if (types.every(type => type !== null)) {
    const names = types.flatMap(listOf).map(kindName).join(' or ')
    return [`${where}: must be ${names}, not ${kindName(kindOf(valueAt(checked.value, unit)))}`]
  }
  const meant = branches.filter(units => !units.some(inner => rulesOut(unit, inner)))
  const told = (meant.length > 0 ? meant : branches).map(units => tell(units, checked).join(', '))
  return told.length === 1
    ? told
    : [`${where}: must fit one of its forms: ${told.map(text => `(${text})`).join(' or ')}`]
}

function branchOf(unit: OutputUnit, inner: OutputUnit): string {
  const rest = inner.keywordLocation.startsWith(`${unit.keywordLocation}/`)
    ? inner.keywordLocation.slice(unit.keywordLocation.length + 1)
    : ''
  return rest.split('/')[0] ?? ''
}

function onlyTypeError(unit: OutputUnit, units: readonly OutputUnit[], checked: Checked): Json {
  const [only, ...others] = units
  if (!only || others.length > 0 || only.keyword !== 'type' || only.instanceLocation !== unit.instanceLocation)
    return null
  return schemaAt(checked.schema, only.keywordLocation) ?? null
}

function rulesOut(unit: OutputUnit, inner: OutputUnit): boolean {
  return inner.keyword === 'const' || (inner.keyword === 'type' && inner.instanceLocation === unit.instanceLocation)
}

function swallows({ keyword }: OutputUnit): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'propertyNames' || keyword === 'contains'
}

/** The entries that follow and belong to the keyword at `at`; a `false` schema's entry names no keyword of its own. */
function belowOf(errors: readonly OutputUnit[], at: number): OutputUnit[] {
  const prefix = `${errors[at]?.keywordLocation}/`
  const below: OutputUnit[] = []
  for (const unit of errors.slice(at + 1)) {
    const belongs = unit.keywordLocation.startsWith(prefix)
    const isFalse = unit.keyword === 'false' && below.length > 0
    if (!belongs && !isFalse) break
    below.push(isFalse ? { ...unit, keywordLocation: `${below.at(-1)?.keywordLocation}/false` } : unit)
  }
  return below
}

function notAllowed(before: OutputUnit | undefined, { schema }: Checked): string {
  if (before?.keyword !== 'additionalProperties') return 'is not allowed'
  const parent = schemaAt(schema, before.keywordLocation.replace(/\/additionalProperties$/, ''))
  const known = Object.keys(member(parent, 'properties') ?? {})
  return known.length === 0 ? 'is not allowed' : `is not allowed; the properties are ${known.join(', ')}`
}

function pathOf(unit: OutputUnit, { root, value }: Checked): string {
  return jsonPath(root, segmentsOf(unit, value))
}

/** An index if the value has an array there, otherwise a name. */
function segmentsOf(unit: OutputUnit, value: Json): PropertyKey[] {
  let here: Json | undefined = value
  return pointer(unit.instanceLocation).map(segment => {
    const key = Array.isArray(here) ? Number(segment) : segment
    here = member(here, segment)
    return key
  })
}

function valueAt(value: Json, unit: OutputUnit): Json {
  return pointer(unit.instanceLocation).reduce<Json | undefined>(member, value) ?? null
}

/** The schema of one place, with references inside the schema followed. */
function schemaAt(schema: JsonObject, location: string): Json | undefined {
  return pointer(location).reduce<Json | undefined>((here, segment) => {
    const found = member(here, segment)
    if (segment !== '$ref' || typeof found !== 'string') return found
    return found.startsWith('#') ? pointer(found).reduce<Json | undefined>(member, schema) : undefined
  }, schema)
}

function pointer(location: string): string[] {
  const segments = location.split('/').slice(1)
  return segments.map(segment => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function member(here: Json | undefined, segment: string): Json | undefined {
  if (typeof here !== 'object' || here === null || !Object.hasOwn(here, segment)) return undefined
  return (here as JsonObject)[segment]
}

function listOf(wanted: Json): readonly Json[] {
  return Array.isArray(wanted) ? wanted : [wanted]
}

function choices(values: readonly Json[]): string {
  const shown = values.slice(0, MOST_CHOICES).map(value => JSON.stringify(value))
  return values.length > MOST_CHOICES ? `${shown.join(', ')}, …` : shown.join(', ')
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function kindName(kind: Json): string {
  if (kind === 'null') return 'null'
  return kind === 'integer' ? 'a whole number' : `${/^[aeiou]/.test(String(kind)) ? 'an' : 'a'} ${kind}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '')
}
