/**
 * The frames between the process of an agent and its attached clients: one JSON object a line, UTF-8, at most 1 MiB. A
 * client passes over a frame of the process that it does not know: it is for a newer client.
 */
import type { Decision } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import type { JournalEvent } from '../journal/event.ts'
import type { Warned } from '../run/warnings/run-warning.ts'
import type { JsonObject } from '../text/json.ts'
import type { AgentStatus } from './agent-status.ts'
import type { FILE, Frame, HELLO, SHAPES } from './frame-shapes.ts'
import type { ClientRole } from './writer-lease.ts'

/** The version of the frames. A client of another one is refused, and uses the verbs over the store instead. */
export const FRAME_PROTOCOL = 1
/** Levels of lists and objects in one frame. */
export const DEEPEST_FRAME = 64

/** A file of a message: its bytes, or a path at or below the directory of the agent. */
export type FrameFile = Frame<typeof FILE>
export type HelloFrame = { readonly type: 'hello' } & Frame<typeof HELLO>
type Sent<Type extends keyof typeof SHAPES> = { readonly type: Type } & Frame<(typeof SHAPES)[Type]>
export type UserMessageFrame = Sent<'user_message'>
export type MessageMode = NonNullable<UserMessageFrame['mode']>
export type DecideFrame = Sent<'decide'>
export type EndFrame = Sent<'end'>
/** A frame of a client, once it was welcomed. */
export type ClientFrame = { [Type in keyof typeof SHAPES]: Sent<Type> }[keyof typeof SHAPES]

/** A message that its run has not taken in yet. */
export interface QueuedMessage {
  readonly input_id: string | null
  readonly text: string
  readonly author: string | null
}

/** The codes of error frames. Only those after which the connection ends are marked. */
// biome-ignore format: the table is the documentation
export const FRAME_ERRORS = {
  bad_frame:            { ends: false },
  busy:                 { ends: false },
  ended:                { ends: false },
  forbidden:            { ends: true },
  full:                 { ends: false },
  not_writer:           { ends: false },
  refused:              { ends: false },
  too_large:            { ends: true },
  unknown_hold:         { ends: false },
  unknown_position:     { ends: true },
  unsupported_protocol: { ends: true },
} as const

export type FrameErrorCode = keyof typeof FRAME_ERRORS

export interface ErrorFrame {
  readonly type: 'error'
  /** The frame that it answers, if that had an id. */
  readonly input_id?: string
  readonly code: FrameErrorCode
  /** With `refused`: the code of the refusal. */
  readonly reason?: string
  readonly message: string
  readonly hint: string | null
}

export interface WelcomeFrame extends Omit<StatusFrame, 'type' | 'queued'> {
  readonly type: 'welcome'
  readonly protocol: number
  readonly agent: { readonly id: string; readonly name: string; readonly run_id: string; readonly thread_id: string }
  /** The newest `seq` of the journal when the client connected. */
  readonly seq: number
  /** All that are open, in full. */
  readonly holds: readonly Hold[]
  readonly queued: readonly QueuedMessage[]
  readonly limits: { readonly frame: number; readonly queue: number }
  /** The port at which the client proves its process before it decides; absent if that is not looked up. */
  readonly peer?: PeerProof
}

/** Over loopback, at the port, a client sends the line `holdpoint-peer SECRET` and keeps the connection. */
export interface PeerProof {
  readonly port: number
  readonly secret: string
}

export interface StatusFrame {
  readonly type: 'status'
  readonly status: AgentStatus
  readonly because: string
  readonly role: ClientRole
  readonly writer: string | null
  readonly clients: number
  readonly queued: number
}

/** An ack of a message or a decision is sent after its event is durable. */
export type AckFrame = { readonly type: 'ack'; readonly input_id: string } & (
  | ({ readonly outcome: 'recorded' | 'duplicate'; readonly seq: number; readonly position?: number } & Warned)
  | { readonly outcome: 'already_decided'; readonly winner: Decision }
  | { readonly outcome: 'taken'; readonly writer: string }
  | { readonly outcome: 'ending' }
)

/** A piece of text as it arrives, with the fields of the pieces of `follow`. Never stored. */
export interface DeltaFrame {
  readonly type: 'delta'
  readonly event: {
    readonly kind: string
    readonly data: JsonObject
    readonly run_id: string
    readonly thread_id: string
    readonly ephemeral: true
    /** The `seq` of the newest durable event when it happened. */
    readonly after: number
    readonly index?: number
  }
}

/** A frame of the process of an agent. */
export type AgentFrame =
  | WelcomeFrame
  | StatusFrame
  | AckFrame
  | ErrorFrame
  | DeltaFrame
  /** With `omitted_bytes` the event is longer than a line may be: its data is left out, and is in the store. */
  | { readonly type: 'event'; readonly event: JournalEvent; readonly omitted_bytes?: number }
  | { readonly type: 'pong'; readonly n: number }
  /** So many pieces were left out; durable events follow from `since`. */
  | { readonly type: 'lagged'; readonly missed: number; readonly since: number }
  /** Nothing follows. */
  | { readonly type: 'bye'; readonly because: string }
