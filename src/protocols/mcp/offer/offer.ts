import type { Underway } from '../../../async/underway.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { Json } from '../../../core/text/json.ts'
import type { Control, ControlContext } from '../../../ports/agent/control.ts'
import type { CheckSchema } from '../../../ports/agent/schema.ts'
import type { Holds } from '../../../runtime/face/holds.ts'

/** The official SDK, as it was loaded. */
export type Sdk = typeof import('./sdk.ts')

/** The offer of a server, over any transport. */
export interface Offer {
  /** Of this program. */
  readonly version: string
  /** How to use it, for a model. */
  readonly instructions: string
  readonly controls: readonly Control[]
  readonly resources: readonly ResourceSource[]
  /** `null` if no person can be asked. */
  readonly asking: Asking | null
  readonly checkSchema: CheckSchema
  readonly identify: Identify
  /** Calls that are not answered yet. */
  readonly underway: Underway
  /** Aborted when this is to end: what waits ends its waiting, and is answered. */
  readonly stopping: AbortSignal
  /** Gets the errors that no caller gets. */
  readonly onError: (error: Error) => void
}

/** The identity of a client, by its own name, made harmless; `null` if it gives none. */
export type Identify = (clientName: string | null) => Identity

export interface Identity {
  /** How it signs. */
  readonly actor: string
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
  /** Those worth listing one by one. */
  members(reader: Reader): Promise<readonly ResourceMember[]>
}

export interface ResourceMember {
  readonly id: string
  /** For people. */
  readonly title: string
}

/** The means to put a hold to the person behind a client. */
export interface Asking {
  readonly holdpoint: Pick<Holds, 'hold' | 'decide'>
  /** How that person signs. */
  readonly person: string
  /** Told before a hold is shown. */
  readonly onShow: (hold: Hold) => Promise<void>
  /** P9: characters that hide something are written so that they are seen. */
  readonly visibleText: (text: string) => string
  readonly newDecisionId: () => string
}

/** Through which a person decides who was asked by their client. */
export const ELICITATION_SURFACE = 'mcp-elicitation'
/** Through which controls are used. */
export const SURFACE = 'mcp'
