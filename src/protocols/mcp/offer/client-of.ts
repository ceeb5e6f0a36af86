import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server'
import type { Caller } from '../../http/gate.ts'
import { harmlessName } from './client-name.ts'
import type { Identity, Offer, Sdk } from './offer.ts'

/** A caller, as the transport passes it on. */
type Bearer = NonNullable<NonNullable<ServerContext['http']>['authInfo']>

/** The caller of a request, for the handlers of the SDK. */
export function bearerOf(caller: Caller): Bearer {
  return { token: '', clientId: caller.name, scopes: [caller.role], extra: { caller } }
}

/** `null` without HTTP. */
export function callerOf({ http }: ServerContext): Caller | null {
  return (http?.authInfo?.extra?.['caller'] as Caller | undefined) ?? null
}

/** The identity of the client of a call. */
export function identityOf(client: Client, context: ServerContext, { identify }: Pick<Offer, 'identify'>): Identity {
  return identify(client.name, callerOf(context))
}

export interface Client {
  /** The client's own name, made harmless; `null` if it gives none. */
  readonly name: string | null
  /** Whether it can put a form to its person. */
  readonly showsForms: boolean
  /** Whether it takes a task as the answer to a call, and looks at it from time to time. */
  readonly takesTasks: boolean
}

/** The extension for tasks; earlier revisions have tasks of another form. */
export const TASKS = 'io.modelcontextprotocol/tasks'

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
    takesTasks: mcpReq.envelope !== undefined && capabilities?.extensions?.[TASKS] !== undefined,
  }
}

/** A client that names no mode can show forms: at first there was no other mode. */
function showsForms(elicitation: ClientCapabilities['elicitation']): boolean {
  if (!elicitation) return false
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0
}
