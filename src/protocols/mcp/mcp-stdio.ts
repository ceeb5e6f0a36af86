import { pipeline, type Readable, type Writable } from 'node:stream'
import { exactMessages } from './exact-messages.ts'
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

/** Serves one client on two streams. */
export function openMcpStdio(sdk: Sdk, newServer: NewServer, options: McpStdioOptions): McpStdio {
  const { stdin, stdout, onError } = options
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const messages = pipeline(
    stdin,
    exactMessages(line => stdout.write(line)),
    () => resolve(),
  )
  for (const event of ['close', 'error']) stdout.once(event, () => resolve())
  const transport = new sdk.StdioServerTransport(messages, stdout)
  const handle = sdk.serveStdio(({ era }) => newServer(era), { transport, onerror: onError })
  const close = async () => {
    await handle.close()
    // Else the open stdin keeps the process alive.
    messages.destroy()
  }
  return { ended, [Symbol.asyncDispose]: close }
}
