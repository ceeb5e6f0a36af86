/** The key, the query and the body of a request, as its route wants them. */
import { issueList } from '../../core/plain/issue-list.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { CheckSchema } from '../../ports/agent/schema.ts'
import type { Problem } from '../http/problem.ts'
import type { RestRoute } from './route/rest-route.ts'

interface Read<T> {
  readonly value: T
}

const KEY = /^[\x21-\x7e]{1,200}$/

/** `null` without a key. */
export function readKey({ headers }: Request, { method, takesKey }: RestRoute): Read<string | null> | Problem {
  const key = headers.get('idempotency-key')
  if (key === null || method !== 'POST') return { value: null }
  if (!takesKey) return keyUnused()
  return KEY.test(key) ? { value: key } : unfitKey()
}

/** Each parameter once, as its schema types it. */
export async function readQuery(
  given: URLSearchParams,
  schemas: Readonly<Record<string, JsonObject>>,
  checkSchema: CheckSchema,
): Promise<Read<object> | Problem> {
  const twice = [...given.keys()].find(name => given.getAll(name).length > 1)
  if (twice !== undefined) return unfit('query', `query.${twice}: is given more than once`)
  const value = Object.fromEntries([...given].map(([name, text]) => [name, typed(text, schemas[name])]))
  const schema = querySchema(schemas)
  const fit = await checkSchema(schema, value, 'query')
  return fit.ok ? { value } : unfit('query', fit.issues)
}

const querySchemas = new WeakMap<object, JsonObject>()

function querySchema(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  const known = querySchemas.get(schemas)
  if (known) return known
  const schema = { type: 'object', properties: { ...schemas }, additionalProperties: false }
  querySchemas.set(schemas, schema)
  return schema
}

function typed(text: string, schema: JsonObject | undefined): Json {
  if (schema?.['type'] === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (schema?.['type'] === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

export async function readBody(
  body: unknown,
  schema: JsonObject,
  checkSchema: CheckSchema,
): Promise<Read<object> | Problem> {
  const signed = signatureIn(body)
  if (signed !== null) return signedElsewhere(signed)
  const fit = await checkSchema(schema, body as Json, 'body')
  return fit.ok ? { value: body as object } : unfit('body', fit.issues)
}

/** A body names no signer. */
const SIGNATURES: readonly string[] = ['decided_by', 'author', 'surface']

function signatureIn(body: unknown): string | null {
  if (!isJsonObject(body as Json)) return null
  const { decisions, ...own } = body as JsonObject
  const parts = Array.isArray(decisions) ? [own, ...decisions] : [own]
  const found = parts.flatMap(part => (isJsonObject(part ?? null) ? Object.keys(part as JsonObject) : []))
  return found.find(name => SIGNATURES.includes(name)) ?? null
}

function signedElsewhere(name: string): Problem {
  return {
    status: 422,
    code: 'signed_by_the_caller',
    detail: `A body has no \`${name}\`: the token of the request signs. Nothing was done.`,
    hint: `Leave \`${name}\` out, and send the request with the token of the person who signs.`,
    more: { errors: [{ path: `body.${name}`, message: 'is not allowed' }] },
  }
}

/** `issues` is one line, each issue with its path. */
function unfit(root: 'query' | 'body', issues: string): Problem {
  const errors = issueList(issues, root)
  const code = root === 'body' ? 'invalid_body' : 'invalid_query'
  return { status: 422, code, detail: `The ${root} does not fit: ${issues}. Nothing was done.`, more: { errors } }
}

function unfitKey(): Problem {
  const detail = 'An Idempotency-Key is 1 to 200 visible ASCII characters without spaces. Nothing was done.'
  return { status: 422, code: 'invalid_idempotency_key', detail }
}

function keyUnused(): Problem {
  return {
    status: 422,
    code: 'idempotency_key_not_taken',
    detail: 'This route takes no Idempotency-Key: sent twice, it is done twice. Nothing was done.',
    hint: 'Send it without the header.',
  }
}
