import type { Server } from '@modelcontextprotocol/server'
import { AskUser } from './ask-user/ask-user.ts'
import { controlTool } from './control-tool.ts'
import type { McpTool } from './offer/mcp-tool.ts'
import type { Offer, Sdk } from './offer/offer.ts'
import { serveResources } from './serve-resources.ts'
import { serveTools } from './serve-tools.ts'

/** People take their time; a form that is older was forgotten. */
const FORM_MS = 24 * 60 * 60 * 1000

/** Makes a server for each connection, or for each request if the revision knows no connections. */
export function mcpServers(sdk: Sdk, offer: Offer): () => Server {
  const askUser = offer.asking ? [new AskUser(sdk, offer.asking)] : []
  const all: readonly McpTool[] = [...offer.controls.map(control => controlTool(control, offer)), ...askUser]
  const tools = new Map(all.map(tool => [tool.listed.name, tool]))
  const verify = askUser[0]?.verify
  return () => {
    const server = new sdk.Server(
      { name: 'holdpoint', title: 'Holdpoint', version: offer.version },
      {
        capabilities: { tools: {}, resources: {} },
        instructions: offer.instructions,
        inputRequired: { roundTimeoutMs: FORM_MS },
        ...(verify && { requestState: { verify } }),
      },
    )
    server.onerror = offer.onError
    serveTools(sdk, server, offer, tools)
    serveResources(sdk, server, offer)
    return server
  }
}
