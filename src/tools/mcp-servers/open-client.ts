import type { Client, ElicitRequestParams, ElicitResult, Transport } from '@modelcontextprotocol/client'
import { messageOf } from '../../core/errors.ts'
import type { McpServer } from '../../core/settings/mcp-servers.ts'
import type { NoteCommand } from '../../ports/process/note-command.ts'
import { keptNumbers } from './kept-numbers.ts'
import type { ProgressOf } from './send-call.ts'
import { ServerProcess } from './server-process.ts'
import { webTransport } from './web-transport.ts'

/** A package runner may have to fetch the server first. */
const CONNECT_MS = 60_000
/** A server over HTTP that does not answer the question for the newest protocol for so long is asked for an older one. */
const PROBE_MS = 10_000

export interface ClientDeps {
  /** The working directory of a server that is a process. */
  readonly directory: string
  /** The name by which its own processes sign. */
  readonly actor: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Default: what runs in a server knows its name by its environment alone. */
  readonly noteCommand?: NoteCommand | undefined
  readonly version: string
  /** Called when the server reports a change of its tools. */
  readonly onListChanged: () => void
  /** Called when the server asks people. */
  readonly onElicit: (params: ElicitRequestParams) => Promise<ElicitResult> | ElicitResult
  /** Called when the server reports how far a call is. */
  readonly onProgress: (progress: ProgressOf) => void
  /** Called when the connection is closed. */
  readonly onClose: () => void
}

export interface OpenClient {
  readonly client: Client
  /** The known reason why it does not answer; empty if there is none. */
  describe(): string
}

type Sdk = typeof import('@modelcontextprotocol/client')

/**
 * Starts or reaches a server and agrees with it on a protocol. The server can ask people through the
 * client, and no model. @throws Error with the reason if there is no connection; nothing is left running.
 */
export async function openClient(server: McpServer, deps: ClientDeps): Promise<OpenClient> {
  const sdk = await import('@modelcontextprotocol/client')
  const [first, second] = ORDERS[server.type]
  try {
    return await connected(sdk, server, { deps, mode: first })
  } catch (thrown) {
    if (!(thrown instanceof ConnectError) || !thrown.wasAnswered) throw thrown
    return connected(sdk, server, { deps, mode: second })
  }
}

type Mode = 'legacy' | 'auto'

/**
 * `auto` asks for the newest revision, and for the others if the server does not know that question. A process may end at
 * a question that it does not know, so it is asked for the others first: one that only speaks the newest revision answers
 * with an error.
 */
const ORDERS: Record<McpServer['type'], readonly [Mode, Mode]> = { http: ['auto', 'legacy'], stdio: ['legacy', 'auto'] }

async function connected(
  sdk: Sdk,
  server: McpServer,
  { deps, mode }: { readonly deps: ClientDeps; readonly mode: Mode },
): Promise<OpenClient> {
  const { transport, describe } = transportTo(sdk, server, deps)
  const client = new sdk.Client(
    { name: 'holdpoint', version: deps.version },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode, ...(server.type === 'http' && { probe: { timeoutMs: PROBE_MS } }) },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: deps.onListChanged } },
      // A result that does not fit its server's schema has had its effect all the same: it is reported unchanged.
      jsonSchemaValidator: {
        getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => deps.onElicit(params))
  // The client's own handler loses the report that comes in one piece with the result.
  client.setNotificationHandler('notifications/progress', ({ params }) => deps.onProgress(params))
  try {
    await client.connect(transport, { timeout: CONNECT_MS })
  } catch (thrown) {
    await transport.close().catch(() => {})
    throw new ConnectError([`${wordsOf(thrown)}.`, describe()].join(' ').trim(), wasAnswered(sdk, thrown, mode))
  }
  client.onclose = deps.onClose
  return { client, describe }
}

/**
 * True if another protocol may be what the server speaks. Whatever else than an agreement follows from the question for the
 * newest one, silence or a failure too, may come from a server that does not know it.
 */
function wasAnswered(sdk: Sdk, thrown: unknown, mode: Mode): boolean {
  if (thrown instanceof sdk.ProtocolError || (thrown instanceof sdk.SdkHttpError && thrown.status === 400)) return true
  return mode === 'auto' && thrown instanceof sdk.SdkError
}

/** `fetch failed` alone helps no reader. */
function wordsOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? messageOf(thrown.cause ?? '') : ''
  return cause === '' ? messageOf(thrown) : `${messageOf(thrown)} (${cause})`
}

class ConnectError extends Error {
  readonly wasAnswered: boolean

  constructor(message: string, wasAnswered: boolean) {
    super(message)
    this.wasAnswered = wasAnswered
  }
}

function transportTo(sdk: Sdk, server: McpServer, deps: ClientDeps): { transport: Transport; describe(): string } {
  if (server.type === 'http') {
    const url = URL.canParse(server.url) ? new URL(server.url) : null
    if (!url || !/^https?:$/.test(url.protocol)) throw new ConnectError('its url is no http address.', false)
    return { transport: webTransport(sdk, url, server.headers), describe: () => '' }
  }
  const { directory, environment, actor, noteCommand } = deps
  const child = new ServerProcess(server, {
    directory,
    environment: { ...inherited(environment), ...server.env, HOLDPOINT_WITHIN: actor },
    note: pid => noteCommand?.(pid, actor) ?? (() => {}),
    read: line => sdk.deserializeMessage(keptNumbers(line)),
  })
  return { transport: child, describe: () => child.describe() }
}

/**
 * The variables that every program needs. A server gets keys and tokens of this environment only if its settings name
 * them.
 */
const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER', 'HOLDPOINT_COMMAND_IDS']

function inherited(environment: ClientDeps['environment']): Record<string, string | undefined> {
  return Object.fromEntries(INHERITED.map(name => [name, environment[name]]))
}
