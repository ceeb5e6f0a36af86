import type { Notice } from '../core/notice/notice.ts'
import type { ChannelKind } from '../core/notice/notice-event.ts'
import type { JsonObject } from '../core/text/json.ts'

/**
 * The facts that a channel needs to find its message again and change it. They are kept in the store, so they have no
 * secret in them.
 */
export type Sent = JsonObject

export interface SendContext {
  /** Aborted after the time limit of one try, and when the process stops. */
  readonly signal: AbortSignal
  /** The newest message to this address about the same hold; `null` if this is the first. */
  readonly earlier: Sent | null
  /** The page at which the person of the notice decides, once. Left out if there is none. */
  readonly link?: string
}

/** A way to reach people or programs. It knows no store, and tries once: the outbox tries again. */
export interface Notifier extends AsyncDisposable {
  readonly kind: ChannelKind
  /** True if many notices to one address may become one message. */
  readonly digests: boolean
  /** True if a message to a person has a link of its own, by which that person decides. Default: false. */
  readonly hasLinks?: boolean
  /** @throws NotSentError, or any error for a failure that another try may mend. */
  send(notice: Notice, address: string, context: SendContext): Promise<Sent>
  /**
   * The message of an earlier try that ended without an answer, so that it is not sent twice; `null` if there is none.
   * Left out by channels whose receivers know a repeat by its id.
   */
  find?(notice: Notice, address: string, context: Pick<SendContext, 'signal'>): Promise<Sent | null>
  /**
   * Changes the message to the current state: `notice.hold` is as of now, and `notice.text.outcome` describes how it
   * ended. Left out by channels that cannot change what they sent.
   */
  settle?(sent: Sent, notice: Notice, context: Pick<SendContext, 'signal'>): Promise<Sent>
}
