import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { mapChildren, schemasIn } from './schema-tree.ts'

/** How often a reference is followed inside itself. A schema without an end ends there. */
const DEEPEST_CYCLE = 2
/** Schemas of one tool, all references followed: a few references in one another can make millions. */
const MOST_SCHEMAS = 5_000

interface Expansion {
  readonly root: JsonObject
  /** How many more schemas there may be. */
  left: number
}

/** The schema without references: each is replaced by what it names, or from some depth on by a free value. */
export function inlineRefs(schema: JsonObject): JsonObject {
  if (!schemasIn(schema).some(({ $ref }) => $ref !== undefined)) return schema
  const { $defs: _, definitions: __, ...inlined } = expand(schema, { root: schema, left: MOST_SCHEMAS }, [])
  return inlined
}

function expand(schema: JsonObject, expansion: Expansion, open: readonly string[]): JsonObject {
  expansion.left -= 1
  const { $ref, ...own } = schema
  if ($ref === undefined) return mapChildren(withoutDefinitions(own), child => expand(child, expansion, open))
  const name = String($ref)
  const target = valueAt(expansion.root, name)
  const isEndless = open.filter(other => other === name).length >= DEEPEST_CYCLE
  if (target === null || isEndless || expansion.left <= 0) return { ...freeValue(target), ...own }
  return expand({ ...target, ...own }, expansion, [...open, name])
}

/** They are looked up in the root, and nowhere else. */
function withoutDefinitions({ $defs: _, definitions: __, ...own }: JsonObject): JsonObject {
  return own
}

function freeValue(target: JsonObject | null): JsonObject {
  const { type = 'object', description } = target ?? {}
  return { type, ...(description !== undefined && { description }) }
}

/** A JSON pointer into the schema, such as `#/$defs/order`. `null` if it names nothing here. */
function valueAt(root: JsonObject, ref: string): JsonObject | null {
  if (ref !== '#' && !ref.startsWith('#/')) return null
  let value: Json | undefined = root
  for (const step of ref.slice(2).split('/').filter(Boolean)) {
    const key = unescaped(step)
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null
    value = (value as Readonly<Record<string, Json>>)[key]
  }
  return isJsonObject(value) ? value : null
}

function unescaped(step: string): string {
  const written = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
