import type { Underway } from '../../../async/underway.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { Role } from '../../../core/people/role.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { Json } from '../../../core/text/json.ts'
import type { Control, ControlContext } from '../../../ports/agent/control.ts'
import type { CheckSchema } from '../../../ports/agent/schema.ts'
import type { Ids } from '../../../ports/ids.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { Threads } from '../../../runtime/face/threads.ts'
import type { Caller } from '../../http/gate.ts'

/** The official SDK, as it was loaded. */
export type Sdk = typeof import('./sdk.ts')

/** Seals what travels through a client, which can neither make nor change it, and opens the seal. */
export type Seal = ReturnType<Sdk['createRequestStateCodec']>

/** The offer of a server, over any transport. */
export interface Offer {
  /** Version of this program. */
  readonly version: string
  /** How to use it, for a model. */
  readonly instructions: string
  readonly controls: readonly Control[]
  readonly resources: readonly ResourceSource[]
  /** `null` if no person can be asked. */
  readonly asking: Asking | null
  /** `null` if only tasks run agents here. */
  readonly running: Running | null
  readonly checkSchema: CheckSchema
  readonly identify: Identify
  /** Seals what clients carry from one request to the next: at least 32 bytes. */
  readonly sealKey: Uint8Array
  /** Calls that are not answered yet. */
  readonly underway: Underway
  /** Aborted when this is to end: what waits ends its waiting, and is answered. */
  readonly stopping: AbortSignal
  /** Gets the errors that no caller gets. */
  readonly onError: (error: Error) => void
}

/**
 * The identity of a client: by its own name, made harmless, `null` if it gives none; and by the caller whose token its
 * request bears, `null` without HTTP.
 */
export type Identify = (clientName: string | null, caller: Caller | null) => Identity

export interface Identity {
  /** How it signs. */
  readonly actor: string
  /** The name by which the person at the client signs forms. */
  readonly person: string
  /** The most that it may do. */
  readonly role: Role
  /** The run whose agent it is; `null` if it is none. */
  readonly runId: string | null
}

/** The caller who reads. */
export type Reader = Pick<ControlContext, 'actor' | 'runId' | 'signal'>

/** Things that can be read: all of them as one resource, and each as one. */
export interface ResourceSource {
  /** Such as `holdpoint://tasks`; of one of them: `holdpoint://tasks/ID`. */
  readonly uri: string
  readonly title: string
  readonly description: string
  /** The name of one of them. */
  readonly one: string
  list(reader: Reader): Promise<Json>
  /** `null` for an unknown one. */
  read(id: string, reader: Reader): Promise<Json | null>
  /** The resources worth listing one by one. */
  members(reader: Reader): Promise<readonly ResourceMember[]>
}

export interface ResourceMember {
  readonly id: string
  /** Title for people. */
  readonly title: string
}

/** The means to show a hold to the person at a client. */
export interface Asking {
  readonly holdpoint: Pick<Holds, 'hold' | 'decide'>
  /** Called before a hold is shown to a person. */
  readonly onShow: (hold: Hold, person: string) => Promise<void>
  /** P9: characters that hide something are written so that they are seen. */
  readonly visibleText: (text: string) => string
  readonly newDecisionId: () => string
}

/** The means to run agents as tools. */
export interface Running {
  readonly holdpoint: Runs & Holds & Threads
  /** The profile of a new run of this agent; `null` for the usual one. @throws RefusedError `unknown_agent` */
  readonly profileOf: (agent: string | null) => Promise<Profile>
  /** The agents that clients may name, as they are now. */
  readonly agentNames: () => readonly string[]
  readonly ids: Ids
}

/** Through which a person decides who was asked by their client. */
export const ELICITATION_SURFACE = 'mcp-elicitation'
/** Through which controls are used. */
export const SURFACE = 'mcp'
