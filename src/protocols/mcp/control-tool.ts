import type { ServerContext } from '@modelcontextprotocol/server'
import type { Control } from '../../ports/agent/control.ts'
import { listedAs, type McpTool } from './offer/mcp-tool.ts'
import { type Offer, SURFACE } from './offer/offer.ts'
import { toolResult } from './offer/tool-result.ts'

/** A control as a tool of MCP. */
export function controlTool(control: Control, { identify }: Pick<Offer, 'identify'>): McpTool {
  return {
    ...listedAs(control),
    call: async ({ args, client, request, signal }) => {
      const context = { ...identify(client.name), surface: SURFACE, signal, onProgress: progressOf(request) }
      return toolResult(await control.call(args, context))
    },
  }
}

/** Progress goes only to a caller that asked for it. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): (message: string) => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => {}
  let progress = 0
  return message => {
    progress += 1
    // If the caller is gone, this fails; the call learns of it by its signal.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {})
  }
}
