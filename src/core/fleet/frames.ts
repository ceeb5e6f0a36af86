/**
 * The frames between the process of an agent and those who attach to it: one JSON object a line, UTF-8, at most 1 MiB.
 * A client passes over a frame of the process that it does not know: it is for a newer client.
 */
import type { Decision, DecisionVerdict } from '../hold/decision.ts'
import type { GrantInput } from '../hold/grant.ts'
import type { Hold } from '../hold/hold.ts'
import type { JournalEvent } from '../journal/event.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { AgentStatus } from './agent-status.ts'
import type { ClientRole } from './writer-lease.ts'

/** The version of the frames. A client of another one is refused, and uses the verbs over the store instead. */
export const FRAME_PROTOCOL = 1
/** Levels of lists and objects in one frame. */
export const DEEPEST_FRAME = 64

/** `queue`: at the next boundary. `steer`: there too, before the queued ones. `interrupt`: what runs is stopped at a safe point first. */
export type MessageMode = 'queue' | 'steer' | 'interrupt'

export const MESSAGE_MODES: readonly MessageMode[] = ['queue', 'steer', 'interrupt']

/** A file beside a message: its bytes, or a path at or below the directory of the agent. */
export interface FrameFile {
  readonly name?: string
  readonly media_type?: string
  readonly base64?: string
  readonly path?: string
}

export interface HelloFrame {
  readonly type: 'hello'
  readonly protocol: number
  readonly token: string
  readonly role: ClientRole
  /** The last `seq` that the client has; left out: only what comes from now on. */
  readonly since?: number
  readonly actor: string
  /** The name and version of the program. */
  readonly client?: string
}

export interface UserMessageFrame {
  readonly type: 'user_message'
  readonly input_id: string
  readonly text: string
  /** Default: `queue`. */
  readonly mode?: MessageMode
  readonly files?: readonly FrameFile[]
}

export interface DecideFrame {
  readonly type: 'decide'
  readonly input_id: string
  readonly hold_id: string
  readonly verdict: DecisionVerdict
  /** The digest and the level that the decider was shown. */
  readonly seen?: { readonly digest?: string | null; readonly level?: number | null }
  readonly reason?: string | null
  readonly value?: Json
  readonly arguments?: JsonObject | null
  readonly grant?: GrantInput | null
}

export interface TakeWriterFrame {
  readonly type: 'take_writer'
  readonly input_id: string
}

export interface EndFrame {
  readonly type: 'end'
  readonly input_id: string
  /** Default: `after_turn`. `now`: what runs is cancelled. */
  readonly when?: 'after_turn' | 'now'
}

export interface PingFrame {
  readonly type: 'ping'
  readonly n: number
}

/** A frame of a client, once it was welcomed. */
export type ClientFrame = UserMessageFrame | DecideFrame | TakeWriterFrame | EndFrame | PingFrame

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

export interface WelcomeFrame {
  readonly type: 'welcome'
  readonly protocol: number
  readonly agent: { readonly id: string; readonly name: string; readonly run_id: string; readonly thread_id: string }
  readonly status: AgentStatus
  readonly because: string
  /** The newest `seq` of the journal as it was when the client came. */
  readonly seq: number
  readonly role: ClientRole
  readonly writer: string | null
  readonly clients: number
  /** All that are open, in full. */
  readonly holds: readonly Hold[]
  readonly queued: readonly QueuedMessage[]
  readonly limits: { readonly frame: number; readonly queue: number }
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

/** An ack of a message or a decision comes after its event is durable. */
export type AckFrame = { readonly type: 'ack'; readonly input_id: string } & (
  | { readonly outcome: 'recorded' | 'duplicate'; readonly seq: number; readonly position?: number }
  | { readonly outcome: 'already_decided'; readonly winner: Decision }
  | { readonly outcome: 'taken'; readonly writer: string }
  | { readonly outcome: 'ending' }
)

/** A piece of text as it comes, with the fields of the pieces of `follow`. It is never stored. */
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
