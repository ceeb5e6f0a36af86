/** The MCP servers of a project, in the shape that people already have. Variables in them are not expanded yet. */
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

/** The settings that both ways to reach a server share. */
interface ServerTerms {
  /** If true, the server is believed about its own tools: which are harmless, and which may be repeated. */
  readonly trusted: boolean
  /** If true, no agent that may use its tools runs without them. Otherwise an agent that names none of them does. */
  readonly required: boolean
  /** How long a call may take without a sign of life. */
  readonly timeout_seconds: number
}

export interface StdioServer extends ServerTerms {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Texts
}

export interface HttpServer extends ServerTerms {
  readonly type: 'http'
  readonly url: string
  readonly headers: Texts
}

export type McpServer = StdioServer | HttpServer
/** Servers by name; disabled ones are left out. */
export type McpServers = Readonly<Record<string, McpServer>>

type Texts = Readonly<Record<string, string>>

/** The prefix of the names of a server's tools. No two servers share one. */
export function toolPrefix(server: string): string {
  return `${server}__`
}

const USUAL_TIMEOUT_SECONDS = 120
const LONGEST_TIMEOUT_SECONDS = 86_400

/**
 * Reads servers from a file or from code; camelCase keys are read as snake_case. @throws Error that names the fault,
 * without any value: it may be a secret.
 */
export function readMcpServers(written: Json | undefined): McpServers {
  if (!isJsonObject(written)) throw new Error('mcp_servers must be like { "github": { "command": "…", "args": [] } }')
  const entries = Object.entries(written).map(([name, given]): [string, McpServer | null] => {
    const server = inSnakeCase(given)
    const problem = faultOfName(name) ?? faultOf(server)
    if (problem !== null) throw new Error(`mcp_servers.${name}: ${problem}`)
    return [name, asServer(server as JsonObject)]
  })
  return Object.fromEntries(entries.filter((entry): entry is [string, McpServer] => entry[1] !== null))
}

/** Converts the keys; `env` and `headers` have names of their own. */
function inSnakeCase(server: Json): Json {
  if (!isJsonObject(server)) return server
  const snake = (key: string) => key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  const entries = Object.entries(server).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [snake(key), value]))
}

/** With one more underscore, a tool of one server could be taken for one of another. */
function faultOfName(name: string): string | null {
  const isFine = /^[a-zA-Z0-9-]+(_[a-zA-Z0-9-]+)*$/.test(name) && name.length <= 32
  return isFine ? null : 'its name must be 1 to 32 letters, digits, hyphens and single underscores between them'
}

/** Clients write it differently, and mean the same two. */
const TYPES: Readonly<Record<string, McpServer['type']>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
}

/** The settings that belong to only one of the two ways to reach a server. */
const OWN: Readonly<Record<string, McpServer['type']>> = {
  command: 'stdio',
  args: 'stdio',
  env: 'stdio',
  url: 'http',
  headers: 'http',
}

function faultOf(server: Json): string | null {
  if (!isJsonObject(server)) return 'it must be an object with a command or a url'
  for (const [key, value] of Object.entries(server)) {
    const known = Object.hasOwn(CHECKS, key)
    const problem = known ? CHECKS[key]?.(value) : `known keys are ${Object.keys(CHECKS).join(', ')}`
    if (problem) return `${key}: ${problem}`
  }
  return faultOfKind(server)
}

function faultOfKind(server: JsonObject): string | null {
  const ways = ['command', 'url'].filter(key => Object.hasOwn(server, key))
  if (ways.length === 0) return 'it has neither a command nor a url'
  if (ways.length === 2) return 'it has both a command and a url; give the one by which it is reached'
  const [way = ''] = ways
  const kind = OWN[way]
  const foreign = Object.entries(server).find(
    ([key, value]) => (key === 'type' ? TYPES[String(value)] : (OWN[key] ?? kind)) !== kind,
  )
  return foreign ? `${foreign[0]}: does not go with a ${way}` : null
}

type Check = (value: Json) => string | null

const CHECKS: Readonly<Record<string, Check>> = {
  command: text,
  args: value => (Array.isArray(value) && value.every(isText) ? null : 'must be a list of texts'),
  env: texts,
  url: text,
  headers: texts,
  type: value => {
    if (value === 'sse') return 'the older SSE transport is not spoken; give the address for streamable HTTP'
    return typeof value === 'string' && Object.hasOwn(TYPES, value) ? null : 'must be stdio or http'
  },
  trusted: truth,
  required: truth,
  disabled: truth,
  timeout_seconds: value =>
    typeof value === 'number' && value > 0 && value <= LONGEST_TIMEOUT_SECONDS
      ? null
      : `must be a number of seconds above 0, at most ${LONGEST_TIMEOUT_SECONDS}`,
}

function text(value: Json): string | null {
  return isText(value) && value.trim() !== '' ? null : 'must be text'
}

function texts(value: Json): string | null {
  return isJsonObject(value) && Object.values(value).every(isText) ? null : 'must be names with texts'
}

function truth(value: Json): string | null {
  return typeof value === 'boolean' ? null : 'must be true or false'
}

function isText(value: Json): value is string {
  return typeof value === 'string'
}

/** `null` for one that is disabled. */
function asServer(server: JsonObject): McpServer | null {
  if (server['disabled'] === true) return null
  const terms = { trusted: false, required: false, timeout_seconds: USUAL_TIMEOUT_SECONDS }
  const { disabled: _, type: __, ...given } = server
  if (Object.hasOwn(server, 'command')) return { type: 'stdio', command: '', args: [], env: {}, ...terms, ...given }
  return { type: 'http', url: '', headers: {}, ...terms, ...given }
}
