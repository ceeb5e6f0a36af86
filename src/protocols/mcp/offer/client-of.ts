import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server'
import { harmlessName } from './client-name.ts'
import type { Sdk } from './offer.ts'

export interface Client {
  /** The client's own name, made harmless; `null` if it gives none. */
  readonly name: string | null
  /** Whether it can put a form to its person. */
  readonly showsForms: boolean
}

/** The client of a call. Each request names it since the revision of 2026-07-28; earlier the handshake does. */
export function clientOf(sdk: Sdk, server: Server, { mcpReq }: ServerContext): Client {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  const info = (envelope[sdk.CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as { name?: unknown } | undefined
  const capabilities = (envelope[sdk.CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined
  return {
    name: typeof info?.name === 'string' ? harmlessName(info.name) : null,
    showsForms: showsForms(capabilities?.elicitation),
  }
}

/** One that names no mode can show forms: there was nothing else at first. */
function showsForms(elicitation: ClientCapabilities['elicitation']): boolean {
  if (!elicitation) return false
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0
}
