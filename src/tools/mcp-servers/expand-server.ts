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
  const found: string[] = []
  const expand = (text: string) =>
    text.replaceAll(VARIABLE, (_, variable: string, fallback?: string) => {
      const value = environment[variable]
      const taken = fallback === undefined ? value : value || fallback
      if (taken === undefined) throw toolRefusals.missingVariable(name, variable)
      found.push(taken)
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

/** Values that the configuration spells out; of `Bearer …` also the part after it. */
function confidential(server: McpServer): string[] {
  if (server.type === 'stdio') return Object.values(server.env)
  const url = URL.canParse(server.url) ? new URL(server.url) : null
  const inUrl = url ? [url.username, url.password, ...url.searchParams.values()] : []
  return [...inUrl, ...Object.values(server.headers).flatMap(value => [value, ...value.split(/\s+/)])]
}

/** Shorter ones are no secrets, and to black them out would leave nothing to read. */
const SHORTEST = 4

/** The longest first: one may be part of another. */
function secretsIn(values: readonly string[]): string[] {
  const lines = values.flatMap(value => [value, ...value.split('\n')])
  return [...new Set(lines)].filter(value => value.length >= SHORTEST).toSorted((a, b) => b.length - a.length)
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
}
