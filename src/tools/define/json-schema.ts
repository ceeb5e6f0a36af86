import type { OutputUnit, Schema, SchemaDraft } from '@cfworker/json-schema'
import { messageOf } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { Fit } from '../../ports/agent/schema.ts'
import type { Validated } from '../../ports/agent/tool.ts'
import { describeIssues } from './json-issues.ts'
import { asWritten, withFormats, withoutPatterns } from './schemas/schema-patterns.ts'

interface Known {
  readonly validate: (value: Json) => { readonly valid: boolean; readonly errors: OutputUnit[] }
}

const validators = new WeakMap<JsonObject, Known>()

/**
 * True if `value` fits the JSON Schema (draft 2020-12 if it names none). `issues` is one line, each issue with its
 * place below `root`. A schema that cannot be applied fits nothing.
 */
export function validateJson(schema: JsonObject, value: Json, root = 'arguments'): Fit | Promise<Fit> {
  const known = validators.get(schema)
  if (known) return checkedWith(known, { schema, value, root })
  return loadedValidator(schema).then(
    validator => checkedWith(validator, { schema, value, root }),
    thrown => unchecked(root, thrown),
  )
}

function checkedWith(
  validator: Known,
  about: { readonly schema: JsonObject; readonly value: Json; readonly root: string },
): Fit {
  try {
    const { valid, errors } = validator.validate(about.value)
    return valid ? { ok: true } : { ok: false, issues: describeIssues(errors, about) }
  } catch (thrown) {
    return unchecked(about.root, thrown)
  }
}

function unchecked(root: string, thrown: unknown): Fit {
  return { ok: false, issues: `${root}: cannot be checked, because the schema cannot be applied: ${line(thrown)}` }
}

/** Like `validateJson`, in the shape of the tool port. */
export async function validateArguments(schema: JsonObject, args: JsonObject): Promise<Validated> {
  const checked = await validateJson(schema, args)
  return checked.ok ? { ok: true, value: args } : checked
}

async function loadedValidator(schema: JsonObject): Promise<Known> {
  const json = await import('@cfworker/json-schema')
  const made = (value: Json) => {
    const without = withoutPatterns(schema, value)
    // The library writes its own marks into the schema it is given.
    const validator = new json.Validator(structuredClone(without.schema) as Schema, draftOf(schema), false)
    return { without, validator }
  }
  const usual = made(null)
  const validator: Known = {
    validate: value => {
      const { without, validator: own } = usual.without.isForValue ? made(value) : usual
      const { valid, errors } = withFormats(json.format, without.formats, () => own.validate(value))
      return { valid, errors: asWritten(errors, without) }
    },
  }
  validators.set(schema, validator)
  return validator
}

function draftOf(schema: JsonObject): SchemaDraft {
  const named = /draft-0?([47])\b|draft\/(2019-09)/.exec(String(schema['$schema'] ?? ''))
  return (named?.[1] ?? named?.[2] ?? '2020-12') as SchemaDraft
}

function line(thrown: unknown): string {
  return messageOf(thrown).replaceAll(/\s+/g, ' ')
}
