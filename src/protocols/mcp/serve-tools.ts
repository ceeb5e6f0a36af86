import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { RefusedError } from '../../core/errors.ts'
import { includesRole } from '../../core/people/role.ts'
import { settingRefusals } from '../../core/refusals/setting-refusals.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { clientOf, identityOf } from './offer/client-of.ts'
import type { McpAnswer, McpCall, McpTool } from './offer/mcp-tool.ts'
import type { Offer, Sdk } from './offer/offer.ts'
import { toolError } from './offer/tool-result.ts'

/** `tools/list` and `tools/call`. A caller sees only the tools that its role may use. */
export function serveTools(sdk: Sdk, server: Server, offer: Offer, tools: ReadonlyMap<string, McpTool>): void {
  server.setRequestHandler('tools/list', (_request, context) => {
    const { role } = identityOf(clientOf(sdk, server, context), context, offer)
    const usable = [...tools.values()].filter(tool => includesRole(role, tool.role))
    return { tools: usable.map(({ listed }) => listed) }
  })
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = tools.get(params.name)
    if (!tool) throw unknownTool(sdk, params.name, tools)
    const client = clientOf(sdk, server, context)
    const call: McpCall = {
      args: (params.arguments ?? {}) as JsonObject,
      client,
      identity: identityOf(client, context, offer),
      context,
      request: context.mcpReq,
      signal: signalOf(context, offer),
    }
    // The SDK passes other types of results on as they are, and does not name them.
    return offer.underway.track(answerOf(tool, call, offer)) as Promise<CallToolResult>
  })
}

async function answerOf(tool: McpTool, call: McpCall, offer: Offer): Promise<McpAnswer> {
  try {
    const { actor, role } = call.identity
    if (!includesRole(role, tool.role)) throw settingRefusals.roleTooLow(actor, role, tool.listed.name, tool.role)
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
