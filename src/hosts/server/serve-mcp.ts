import { createHash } from 'node:crypto'
import type { Protocol } from '../../protocols/http/route.ts'
import type { Identify, Offer, Running } from '../../protocols/mcp/offer/offer.ts'
import type { CommandContext } from '../command/command.ts'
import type { App } from '../compose/compose.ts'
import { ownSecret, SEAL_KEY } from '../listening/own-secret.ts'
import { offeredMcp } from '../offering/offered-mcp.ts'

interface McpSite extends Pick<CommandContext, 'directory' | 'env'> {
  readonly app: App
  readonly starting: Pick<Running, 'profileOf' | 'agentNames'>
  readonly stopping: AbortSignal
  readonly onError: (error: Error) => void
}

/** P1: it starts a command without asking a person. It is for clients of the machine's owner, with `holdpoint mcp`. */
const UNASKED = 'run_command_task'

/** MCP for the callers of this server: each signs by its token, and has the rights of its role. */
export function serveMcp(site: McpSite): Protocol {
  return offeredMcp(() => offerOf(site), site.onError)
}

async function offerOf({ directory, env, ...site }: McpSite): Promise<Offer> {
  const { mcpOffer } = await import('../offering/mcp-offer.ts')
  const controls = (await site.app.supervision.controls()).filter(({ name }) => name !== UNASKED)
  const sealKey = createHash('sha256')
    .update(ownSecret(SEAL_KEY, directory, env).secret)
    .digest()
  return mcpOffer({ ...site, controls, identify: byToken, sealKey })
}

/** The name that a client gives itself counts for nothing here. */
const byToken: Identify = (_clientName, caller) => {
  const { name, role } = caller ?? { name: 'unknown', role: 'viewer' }
  return { actor: name, person: name, role, runId: null }
}
