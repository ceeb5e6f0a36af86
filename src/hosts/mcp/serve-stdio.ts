import { setImmediate } from 'node:timers/promises'
import { mcpServers } from '../../protocols/mcp/mcp-server.ts'
import { openMcpStdio } from '../../protocols/mcp/mcp-stdio.ts'
import type { CommandContext } from '../command/command.ts'
import type { Serving } from './serving.ts'

/** One client, until it has gone or this is to end. */
export async function serveStdio({ offer, stopped }: Serving, { io }: Pick<CommandContext, 'io'>): Promise<void> {
  if (process.stdin.isTTY)
    io.err(
      'holdpoint mcp: this speaks MCP on stdin and stdout, for a client that starts it; see `holdpoint mcp --help`.\n',
    )
  const sdk = await import('../../protocols/mcp/offer/sdk.ts')
  await using stdio = openMcpStdio(sdk, mcpServers(sdk, offer), {
    stdin: process.stdin,
    stdout: process.stdout,
    onError: offer.onError,
  })
  await Promise.race([stdio.ended, stopped])
  // Answers are sent before the client is let go.
  await setImmediate()
}
