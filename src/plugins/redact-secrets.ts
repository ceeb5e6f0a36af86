import type { ContentPart, FilePart, ImagePart } from '../core/message/part.ts'
import { partWords } from '../core/message/part-words.ts'
import { toolParts } from '../core/message/tool-parts.ts'
import { toolRefusals } from '../core/refusals/tool-refusals.ts'
import type { CallError } from '../core/run/tool-call.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/text/json.ts'
import type { AfterToolExecute, CallResult, Plugin } from '../ports/agent/plugin.ts'
import { redactText, type Secrets } from './redact-text.ts'
import { isSecretName, SECRET_PATTERNS } from './secret-patterns.ts'

/** The options of `redactSecrets`. */
export interface RedactSecretsOptions {
  /**
   * Secrets in addition to the well-known shapes. If a pattern has a group named `secret`, that group alone is the
   * secret. Results may be long, so a pattern must not try the same text over and over.
   */
  readonly patterns?: readonly RegExp[]
  /**
   * `process.env`, say: the values of variables with KEY, TOKEN, SECRET, PASSWORD and the like in their names are secret
   * from 8 characters on.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Default `[redacted]`. */
  readonly replacement?: string
}

/**
 * Removes secrets from results of tools, before they are journalled and before the model sees them. Secrets are keys
 * and passwords of well-known shapes, values of fields with telling names, and values of the environment. It covers
 * results at any depth, the names of their fields, and error messages. In results of parts it covers texts, text files,
 * names and addresses, but no other bytes. It does not touch texts of the model, calls that its provider ran, or answers of
 * people.
 * @throws RefusedError `invalid_plugin`
 */
export function redactSecrets(options: RedactSecretsOptions = {}): Plugin {
  const secrets = secretsOf(options)
  return {
    name: 'redact_secrets',
    hooks: { afterToolExecute: (_view, _call, result) => redactResult(result, secrets) },
  }
}

function redactResult({ output, parts, error }: CallResult, secrets: Secrets): AfterToolExecute {
  if (parts) return redactAllParts(parts, secrets)
  const setResult = redactJson(output, secrets)
  const setError = error && redactError(error, secrets)
  return {
    ...(setResult === output ? {} : { setResult }),
    ...(setError === error || setError === null ? {} : { setError }),
  }
}

/** Content parts carry no error. */
function redactAllParts(parts: readonly ContentPart[], secrets: Secrets): AfterToolExecute {
  const redacted = parts.map(part => redactPart(part, secrets))
  return redacted.every((part, index) => part === parts[index]) ? {} : { setResult: toolParts(redacted) }
}

function redactError(error: CallError, secrets: Secrets): CallError {
  const code = redactText(error.code, secrets)
  const message = redactText(error.message, secrets)
  return code === error.code && message === error.message ? error : { code, message }
}

function secretsOf({ patterns = [], env = {}, replacement = '[redacted]' }: RedactSecretsOptions): Secrets {
  if (!Array.isArray(patterns) || !patterns.every(pattern => pattern instanceof RegExp)) {
    throw toolRefusals.invalidRedaction('patterns must be a list of regular expressions')
  }
  if (typeof replacement !== 'string' || replacement === '')
    throw toolRefusals.invalidRedaction('its replacement must be a text')
  return {
    patterns: [...SECRET_PATTERNS, ...patterns].map(everywhere),
    values: secretValuesIn(env),
    mark: replacement,
  }
}

/** A copy of the pattern that finds every match and its position. */
function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, [...new Set(`${flags}dg`)].filter(flag => flag !== 'y').join(''))
}

/** Shorter ones turn up by chance. */
const SHORTEST = 8

const SECRET_VARIABLE = /key(?!board)|token|secret|passw|passphrase|credential/i
/** Variables that name the place of a secret, not the secret. */
const PLACE = /_(?:dir|file|path)$/i

/** Values of the variables whose names suggest a secret, also in their forms inside JSON and inside a URL. */
function secretValuesIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env)
    .filter(([name]) => SECRET_VARIABLE.test(name) && !PLACE.test(name))
    .map(([, value]) => value?.trim() ?? '')
    .filter(value => value.length >= SHORTEST)
  return [...new Set(values.flatMap(value => [value, JSON.stringify(value).slice(1, -1), inUrl(value)]))]
}

/** Half of a pair of surrogates has no form in a URL. */
function inUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/** Returns the same part if it has no secret. Bytes are read only if they are a text. */
function redactPart(part: ContentPart, secrets: Secrets): ContentPart {
  if (part.type === 'text') return redactedOrSame(part, redactText(part.text, secrets))
  const isTold = [part.name, part.url].some(told => told !== undefined && redactText(told, secrets) !== told)
  // An address without its secret leads nowhere, and a provider that cannot read it fails the whole run.
  if (isTold) return { type: 'text', text: redactText(partWords(part), secrets) }
  return isText(part) ? redactTextFile(part, secrets) : part
}

function redactedOrSame(part: ContentPart & { readonly type: 'text' }, text: string): ContentPart {
  return text === part.text ? part : { ...part, text }
}

const TEXT_TYPES = /^text\/|[/+](?:json|xml|yaml)$/

type BytesOfText = (FilePart | ImagePart) & { readonly data: string }

function isText(part: FilePart | ImagePart): part is BytesOfText {
  return part.data !== undefined && TEXT_TYPES.test(part.media_type)
}

function redactTextFile(part: BytesOfText, secrets: Secrets): ContentPart {
  const text = Buffer.from(part.data, 'base64').toString()
  const redacted = redactText(text, secrets)
  return redacted === text ? part : { ...part, data: Buffer.from(redacted).toString('base64') }
}

/** Returns the same value if it has no secret. Otherwise a redacted copy, which stays the same if redacted again. */
function redactJson(value: Json, secrets: Secrets): Json {
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

/** Redacts the value of a field with a secret name. */
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
