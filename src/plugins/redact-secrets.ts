import { RefusedError } from '../core/errors.ts'
import type { ContentPart } from '../core/message/part.ts'
import { toolParts } from '../core/message/tool-parts.ts'
import type { CallError } from '../core/run/tool-call.ts'
import type { AfterToolExecute, CallResult, Plugin } from '../ports/agent/plugin.ts'
import { redactJson } from './redact-json.ts'
import { redactPart } from './redact-part.ts'
import { redactText, type Secrets } from './redact-text.ts'
import { SECRET_PATTERNS } from './secret-patterns.ts'
import { secretValuesIn } from './secret-values.ts'

/** The options of `redactSecrets`. */
export interface RedactSecretsOptions {
  /**
   * Secrets beside the well-known shapes. If a pattern has a group named `secret`, that group alone is the secret.
   * Results may be long, so a pattern must not try the same text over and over.
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
 * names and addresses, but no other bytes. It does not touch texts of the model or answers of people.
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

/** Of parts there is no error. */
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
    throw invalid('patterns must be a list of regular expressions')
  }
  if (typeof replacement !== 'string' || replacement === '') throw invalid('its replacement must be a text')
  return {
    patterns: [...SECRET_PATTERNS, ...patterns].map(everywhere),
    values: secretValuesIn(env),
    mark: replacement,
  }
}

/** The same pattern, set to find every match and its position. */
function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, [...new Set(`${flags}dg`)].filter(flag => flag !== 'y').join(''))
}

function invalid(problem: string): RefusedError {
  return new RefusedError('invalid_plugin', `The redaction of secrets cannot be used: ${problem}.`)
}
