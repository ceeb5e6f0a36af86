import type { Readable, Writable } from 'node:stream'
import type { NewServer } from './mcp-server.ts'
import type { Sdk } from './offer/offer.ts'

export interface McpStdioOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly onError: (error: Error) => void
}

export interface McpStdio extends AsyncDisposable {
  /** Resolves once the client has gone. */
  readonly ended: Promise<void>
}

/** One client, on two streams. */
export function openMcpStdio(sdk: Sdk, newServer: NewServer, options: McpStdioOptions): McpStdio {
  const { stdin, stdout, onError } = options
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve())
  for (const event of ['close', 'error']) stdout.once(event, () => resolve())
  const transport = new sdk.StdioServerTransport(stdin, stdout)
  const handle = sdk.serveStdio(({ era }) => newServer(era), { transport, onerror: onError })
  return { ended, [Symbol.asyncDispose]: () => handle.close() }
}
