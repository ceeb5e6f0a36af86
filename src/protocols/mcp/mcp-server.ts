import type { Server, ServerContext } from '@modelcontextprotocol/server'
import { includesRole } from '../../core/people/role.ts'
import type { Control } from '../../ports/agent/control.ts'
import { AskUser } from './ask-user/ask-user.ts'
import { callerOf, TASKS } from './offer/client-of.ts'
import { listedAs, type McpTool } from './offer/mcp-tool.ts'
import { type Offer, type Sdk, type Seal, SURFACE } from './offer/offer.ts'
import { progressOf } from './offer/progress-of.ts'
import { toolResult } from './offer/tool-result.ts'
import { shownOnce } from './run-agent/run-deps.ts'
import { runTools } from './run-agent/run-tools.ts'
import { serveTasks } from './run-agent/serve-tasks.ts'
import { serveResources } from './serve-resources.ts'
import { serveTools } from './serve-tools.ts'

/** People take their time; a form that is older was forgotten. */
const FORM_MS = 24 * 60 * 60 * 1000

/** Makes a server for each connection, or for each request if the revision knows no connections. */
export type NewServer = (era: 'legacy' | 'modern') => Server

export function mcpServers(sdk: Sdk, offer: Offer): NewServer {
  const seal = sealOf(sdk, offer)
  const { asking, running } = offer
  const askUser = asking ? [new AskUser(sdk, asking, seal)] : []
  const runs = asking && running ? { sdk, asking, running, seal } : null
  const polled = runs && { ...runs, asking: shownOnce(runs.asking) }
  const all: readonly McpTool[] = [...offer.controls.map(controlTool), ...askUser, ...(runs ? runTools(runs) : [])]
  const tools = new Map(all.map(tool => [tool.listed.name, tool]))
  return era => {
    const hasTasks = polled !== null && era === 'modern'
    const server = new sdk.Server(
      { name: 'holdpoint', title: 'Holdpoint', version: offer.version },
      {
        capabilities: { tools: {}, resources: {}, ...(hasTasks && { extensions: { [TASKS]: {} } }) },
        instructions: offer.instructions,
        inputRequired: { roundTimeoutMs: FORM_MS },
        requestState: { verify: seal.verify },
      },
    )
    server.onerror = offer.onError
    serveTools(sdk, server, offer, tools)
    serveResources(sdk, server, offer)
    if (hasTasks) serveTasks(polled, server, offer)
    return server
  }
}

/** Seals state for one caller: no other caller can use it. */
function sealOf(sdk: Sdk, { sealKey: key }: Offer): Seal {
  const bind = (context: ServerContext) => callerOf(context)?.name ?? ''
  return sdk.createRequestStateCodec({ key, ttlSeconds: FORM_MS / 1000, bind })
}

/** A control as a tool of MCP. */
function controlTool(control: Control): McpTool {
  return {
    ...listedAs(control),
    role: control.role ?? 'admin',
    call: async ({ args, identity, request, signal }) => {
      const { actor, runId, role } = identity
      const editor = includesRole(role, 'operator')
      const context = { actor, runId, editor, surface: SURFACE, signal, onProgress: progressOf(request) }
      return toolResult(await control.call(args, context))
    },
  }
}
