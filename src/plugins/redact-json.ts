import { isJsonObject, type Json, type JsonObject } from '../core/text/json.ts'
import { redactText, type Secrets } from './redact-text.ts'
import { isSecretName } from './secret-patterns.ts'

/** The same value if it has no secret. Otherwise a redacted copy, which stays the same if redacted again. */
export function redactJson(value: Json, secrets: Secrets): Json {
  if (typeof value === 'string') return redactText(value, secrets)
  if (isList(value)) return redactList(value, secrets)
  return isJsonObject(value) ? redactObject(value, secrets) : value
}

function redactList(value: readonly Json[], secrets: Secrets): readonly Json[] {
  const redacted = value.map(inner => redactJson(inner, secrets))
  return redacted.every((inner, index) => inner === value[index]) ? value : redacted
}

function redactObject(value: JsonObject, secrets: Secrets): JsonObject {
  const entries = Object.entries(value)
  const taken = new Set<string>()
  const redacted = entries.map(([name, inner]): [string, Json] => [
    unlike(taken, redactText(name, secrets)),
    isSecretName(name) ? redactField(inner, secrets) : redactJson(inner, secrets),
  ])
  const isSame = entries.every(
    ([name, inner], index) => name === redacted[index]?.[0] && inner === redacted[index]?.[1],
  )
  return isSame ? value : Object.fromEntries(redacted)
}

/** The value of a field whose name says that it is secret. */
function redactField(value: Json, secrets: Secrets): Json {
  const isSecret = typeof value === 'number' || (typeof value === 'string' && value !== '')
  return isSecret ? secrets.mark : redactJson(value, secrets)
}

/** Two names that read the same once they are redacted stay two. */
function unlike(taken: Set<string>, name: string): string {
  let other = name
  for (let count = 2; taken.has(other); count += 1) other = `${name} ${count}`
  taken.add(other)
  return other
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
