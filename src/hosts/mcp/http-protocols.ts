import type { Protocol } from '../../protocols/http/route.ts'
import { openMcpHttp } from '../../protocols/mcp/mcp-http.ts'
import { mcpServers } from '../../protocols/mcp/mcp-server.ts'
import type { Serving } from './serving.ts'

const LIMITS = { sessions: 64, idleMs: 30 * 60 * 1000 }

/** The protocols of `holdpoint mcp --http`. A new one is a file in `src/protocols/` and a row here. */
export const HTTP_PROTOCOLS: readonly ((serving: Serving) => Protocol)[] = [
  ({ sdk, offer }) => openMcpHttp(sdk, mcpServers(sdk, offer), { limits: LIMITS, onError: offer.onError }),
]
