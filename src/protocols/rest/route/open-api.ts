/** The table of routes as OpenAPI 3.1, which takes JSON Schemas of 2020-12 as they are. */

import type { JsonObject } from '../../../core/text/json.ts'
import { described, listOf, object, TEXT } from '../../../core/text/json-schema.ts'
import type { Route, RouteOperation } from '../../http/route.ts'
import type { RestRoute } from './rest-route.ts'
import { NAME } from './schema-parts.ts'

interface ApiParts {
  /** By name; they refer to one another below `#/$defs/`. */
  readonly schemas: JsonObject
  readonly version: string
  /** Routes of other protocols. */
  readonly others: readonly Route[]
}

export function openApi(routes: readonly RestRoute[], { schemas, version, others }: ApiParts): JsonObject {
  const documents = JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonObject
  const rows = [
    ...routes.map(row => ({ path: row.path, method: row.method, operation: operation(row) })),
    ...others.flatMap(otherOperations),
  ]
  const paths = Map.groupBy(rows, ({ path }) => pathOf(path))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdpoint',
      version,
      description: 'Runs, holds and decisions. The token of a request signs what it does.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      [...paths].map(([path, own]) => [
        path,
        Object.fromEntries(own.map(row => [row.method.toLowerCase(), row.operation])),
      ]),
    ),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token that an admin of this server added.' },
      },
      schemas: { ...documents, Problem: PROBLEM },
      responses: { Problem: refusal('Why it was refused; nothing was done. `code` is stable.') },
    },
  }
}

function operation(route: RestRoute): JsonObject {
  const { method, path, role, summary, body, answers } = route
  return {
    operationId: idOf(method, path),
    summary,
    description: role === null ? 'No token is needed.' : `Takes the role ${role}, or one with more rights.`,
    ...(role === null && { security: [] }),
    parameters: [...parametersIn(path), ...queryOf(route), ...headersOf(route)],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, text]) => [status, answer(route, text, Number(status))]),
      ),
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

function otherOperations({ path, operations = {}, isPublic }: Route) {
  return Object.entries(operations).map(([method, said]) => ({
    path,
    method,
    operation: { ...otherOperation(method, path, said), ...(isPublic && { security: [] }) },
  }))
}

/** Refusals have the form of the protocol. */
function otherOperation(method: string, path: string, said: RouteOperation): JsonObject {
  const { summary, description, query = {}, body, bodyType = 'application/json', answers, refusalType } = said
  const responses = Object.entries(answers).map(([status, { text, type }]) => [status, answerOf(text, type)] as const)
  return {
    ...{ operationId: idOf(method, path), summary, description },
    parameters: [...parametersIn(path), ...queryOf({ query })],
    ...(body && { requestBody: { required: true, content: { [bodyType]: { schema: body } } } }),
    responses: {
      ...Object.fromEntries(responses),
      default: answerOf('Why it was refused; nothing was done.', refusalType),
    },
  }
}

function answerOf(description: string, type: string | undefined): JsonObject {
  if (type === undefined) return { description }
  return { description, content: { [type]: { schema: { type: type === 'application/json' ? 'object' : 'string' } } } }
}

function idOf(method: string, path: string): string {
  return [method.toLowerCase(), ...path.split('/').filter(isWord)].join('_').replaceAll(/[^\w]/g, '')
}

function isWord(part: string): boolean {
  return part !== '' && part !== 'v1'
}

function pathOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

function parametersIn(path: string): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: NAME }))
}

function queryOf({ query = {} }: Pick<RestRoute, 'query'>): JsonObject[] {
  return Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}

function headersOf({ takesKey, type }: RestRoute): JsonObject[] {
  const key = described(NAME, 'Sent again with the same key, the request counts once.')
  const last = described(TEXT, 'The id of the last event that the client has. It beats `since`.')
  return [
    ...(takesKey ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: key }] : []),
    ...(type ? [{ name: 'Last-Event-ID', in: 'header', required: false, schema: last }] : []),
  ]
}

const FIRST_REFUSAL = 400
const NO_CONTENT = 204

function answer({ type, summary }: RestRoute, text: string, status: number): JsonObject {
  if (status >= FIRST_REFUSAL) return refusal(text)
  if (status === NO_CONTENT) return { description: text }
  if (!text.startsWith('#'))
    return { description: text, content: { 'application/json': { schema: { type: 'object' } } } }
  const schema = { $ref: `#/components/schemas/${text.slice(1)}` }
  if (type === undefined) return { description: summary, content: { 'application/json': { schema } } }
  const stream = { schema: { type: 'string' }, 'x-event-data': schema }
  return {
    description: `${summary}. \`x-event-data\` is the schema of the data of its events.`,
    content: { [type]: stream },
  }
}

function refusal(description: string): JsonObject {
  return { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }
}

const PROBLEM: JsonObject = {
  ...object(
    {
      type: described(TEXT, 'The code as a URN.'),
      title: TEXT,
      status: { type: 'integer' },
      code: described(TEXT, 'Stable, for programs.'),
      detail: described(TEXT, 'What happened, for people.'),
      hint: described(TEXT, 'What to do next.'),
      errors: listOf(object({ path: TEXT, message: TEXT }, ['path', 'message'])),
    },
    ['type', 'title', 'status', 'code', 'detail'],
  ),
  additionalProperties: true,
}
