import type { Protocol } from '../../protocols/http/route.ts'
import { openMcpHttp } from '../../protocols/mcp/mcp-http.ts'
import type { Offer } from '../../protocols/mcp/offer/offer.ts'

const LIMITS = { sessions: 64, idleMs: 30 * 60 * 1000 }

/** MCP over HTTP. The SDK and the offer are loaded at the first request. */
export function offeredMcp(load: () => Promise<Offer>, onError: (error: Error) => void): Protocol {
  const layer = async () => {
    const sdk = await import('../../protocols/mcp/offer/sdk.ts')
    const { mcpServers } = await import('../../protocols/mcp/mcp-server.ts')
    return { sdk, newServer: mcpServers(sdk, await load()) }
  }
  return openMcpHttp(layer, { limits: LIMITS, onError })
}
