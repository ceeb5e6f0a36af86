import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { RefusedError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { clientOf } from './offer/client-of.ts'
import type { McpTool } from './offer/mcp-tool.ts'
import type { Offer, Sdk } from './offer/offer.ts'
import { toolError } from './offer/tool-result.ts'

type Answer = CallToolResult | InputRequiredResult

/** `tools/list` and `tools/call`. */
export function serveTools(sdk: Sdk, server: Server, offer: Offer, tools: ReadonlyMap<string, McpTool>): void {
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ listed }) => listed) }))
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = tools.get(params.name)
    if (!tool) throw unknownTool(sdk, params.name, tools)
    const args = (params.arguments ?? {}) as JsonObject
    const call = {
      args,
      client: clientOf(sdk, server, context),
      request: context.mcpReq,
      signal: signalOf(context, offer),
    }
    return offer.underway.track(answerOf(tool, call, offer))
  })
}

async function answerOf(tool: McpTool, call: Parameters<McpTool['call']>[0], offer: Offer): Promise<Answer> {
  try {
    const fit = await offer.checkSchema(tool.inputSchema, call.args, 'arguments')
    if (!fit.ok) throw invalidArguments(tool.listed.name, fit.issues)
    return await tool.call(call)
  } catch (thrown) {
    if (thrown instanceof Error && !(thrown instanceof RefusedError)) offer.onError(thrown)
    return toolError(thrown)
  }
}

/** A client that hung up cannot be answered, so nothing waits on its behalf. */
function signalOf({ mcpReq, http }: ServerContext, { stopping }: Offer): AbortSignal {
  return AbortSignal.any([mcpReq.signal, stopping, ...(http?.req ? [http.req.signal] : [])])
}

function invalidArguments(name: string, issues: string): RefusedError {
  return new RefusedError('invalid_arguments', `The arguments of ${name} do not fit its inputSchema: ${issues}`, {
    hint: 'Nothing was done. Correct them and call again.',
  })
}

function unknownTool(sdk: Sdk, name: string, tools: ReadonlyMap<string, McpTool>): Error {
  const known = [...tools.keys()].join(', ')
  return new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `There is no tool ${JSON.stringify(name)} here. There are: ${known}.`,
  )
}
