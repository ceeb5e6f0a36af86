import { toolRefusals } from '../../core/refusals/tool-refusals.ts'
import type { McpServer } from '../../core/settings/mcp-servers.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A server as it is started, and the texts of it that must never be stored. */
export interface ExpandedServer {
  readonly server: McpServer
  readonly secrets: readonly string[]
}

/** `${NAME}`, or `${NAME:-default}` for a variable that is unset or empty. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g

/** Replaces variables wherever a server may have them. @throws RefusedError `missing_variable` */
export function expandServer(name: string, server: McpServer, environment: Environment): ExpandedServer {
  const found: Given[] = []
  const expand = (text: string) =>
    text.replaceAll(VARIABLE, (_, variable: string, fallback?: string) => {
      const value = environment[variable]
      const taken = fallback === undefined ? value : value || fallback
      if (taken === undefined) throw toolRefusals.missingVariable(name, variable)
      found.push([variable, taken])
      return taken
    })
  const expanded = expandedWith(server, expand)
  return { server: expanded, secrets: secretsIn([...found, ...confidential(expanded)]) }
}

function expandedWith(server: McpServer, expand: (text: string) => string): McpServer {
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(text)]))
  if (server.type === 'http') return { ...server, url: expand(server.url), headers: all(server.headers) }
  return { ...server, command: expand(server.command), args: server.args.map(expand), env: all(server.env) }
}

/** A name, and the value that it has. */
type Given = readonly [name: string, value: string]

/** Values that the configuration spells out; of `Bearer …` also the part after it. */
function confidential(server: McpServer): Given[] {
  if (server.type === 'stdio') return Object.entries(server.env)
  const url = URL.canParse(server.url) ? new URL(server.url) : null
  const inUrl: Given[] = url ? [['token', url.username], ['password', url.password], ...url.searchParams] : []
  return [...inUrl, ...Object.values(server.headers).flatMap(inHeader)]
}

function inHeader(value: string): Given[] {
  const [, ...credentials] = value.split(/\s+/)
  return [value, ...credentials].map(part => ['authorization', part])
}

/** The longest first: one may be part of another. */
function secretsIn(given: readonly Given[]): string[] {
  const lines = given.flatMap(([name, value]) => [value, ...value.split('\n')].map((line): Given => [name, line]))
  const secrets = lines.filter(([name, value]) => isSecret(name, value)).map(([, value]) => value)
  return [...new Set(secrets)].toSorted((a, b) => b.length - a.length)
}

/** Shorter ones are no secrets, and to black them out would leave nothing to read. */
const SHORTEST = 4
/** From this length a value counts as a secret, whatever its name. */
const LONG = 12
const SECRET_NAME = /key(?!board)|token|secret|passw|passphrase|credential|auth|cookie/i

function isSecret(name: string, value: string): boolean {
  return value.length >= LONG || (value.length >= SHORTEST && (SECRET_NAME.test(name) || looksRandom(value)))
}

/** Letters and digits in turns, not one number after a word: `h4nter2x`, but neither `port8080` nor `production`. */
function looksRandom(value: string): boolean {
  return value.length >= 8 && /^[\w+/=-]+$/.test(value) && /\d[^\d]*[a-z][^\d]*\d/i.test(value)
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
}
