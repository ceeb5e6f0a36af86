/**
 * A conversation with an agent, as a terminal uses it: one in this process, or one over the socket of an agent. The
 * screen knows nothing else of the run. A verb that changes something uses the face, so its outcome is on record and
 * arrives as an event of `follow`.
 */
import type { Receipt } from '../../../core/deciding/receipt.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { ContentPart } from '../../../core/message/part.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'

export interface Conversation extends AsyncDisposable {
  /** The session (thread), also before there is a run in it. */
  readonly sessionId: string
  /** The agent's name, as people know it. */
  readonly agent: string
  /** The model by its name; `null` if it is unknown here. */
  readonly model: string | null

  /** Follows as the face does: the events after `since`, then new ones. One follower at a time. */
  follow(options: FollowConversation): AsyncIterable<JournalEvent | Ephemeral>

  /** The open holds of the session, oldest first; a text pause (`input`) is none of them. */
  holds(): Promise<readonly Hold[]>

  /** What the person should know of it, if anything. @throws RefusedError; then nothing was sent. */
  send(message: OutgoingMessage): Promise<readonly RunWarning[]>

  /** How the agent reads files. */
  reading(): Promise<Pick<Profile, 'policy' | 'workdir' | 'rules_from'>>

  /** Decides the hold as it was drawn: its digest and level bind the decision (P9). As `decide`, it never throws for others' decisions. */
  decide(drawn: Hold, verdict: ConversationVerdict): Promise<Receipt>

  /** Takes a text as the answer to a question. As `decide`. */
  answer(drawn: Hold, text: string): Promise<Receipt>

  /** P10: records that the person was shown these holds, and whether in full. */
  shown(holdIds: readonly string[], inFull: boolean): Promise<void>

  /** Stops the run at a safe point; it can go on. False if no process of this conversation works on it. */
  stop(): boolean

  /** Continues a stopped run. */
  goOn(): void

  /**
   * Later runs and steps ask this model; a run under way keeps its own until it waits or ends. Absent if another
   * process has the settings.
   * @throws RefusedError if it cannot be used; then nothing was changed.
   */
  useModel?(model: string): Promise<void>

  /** Set for the session of an agent in the background: no other one takes its place. */
  readonly isOfAgent?: true

  /** Ends the run for good. @throws RefusedError */
  cancel(reason: string | null): Promise<void>

  /** Has the conversation folded before the model reads it again. @throws RefusedError if there is nothing to fold */
  compact(keep: string | null): Promise<void>

  /**
   * Makes a new session from the present state of this one; its id.
   * @throws RefusedError if there is nothing to fork yet.
   */
  fork(): Promise<string>

  presence(): Presence
  /** Calls back after each change of `presence`. */
  onPresence(listener: () => void): Disposable
}

export interface FollowConversation {
  /** The last `seq` that the caller has. */
  readonly since: number
  readonly signal: AbortSignal
}

/**
 * `queue`: at the next boundary, after open holds are decided. `steer`: in the place of calls that wait for a decision.
 * `interrupt`: the run stops at a safe point first.
 */
export type MessageMode = 'queue' | 'steer' | 'interrupt'

export interface OutgoingMessage {
  readonly text: string
  /** Images and files of the message. */
  readonly parts: readonly ContentPart[]
  readonly mode: MessageMode
}

export function contentOf({ text, parts }: Pick<OutgoingMessage, 'text' | 'parts'>): string | readonly ContentPart[] {
  if (parts.length === 0) return text
  return text === '' ? parts : [{ type: 'text', text }, ...parts]
}

export type ConversationVerdict = Pick<DecisionInput, 'verdict' | 'arguments' | 'value' | 'reason' | 'grant'>

/** The process that works on the run, and the others in the conversation. */
export interface Presence {
  /** The process that advances the run: this one or the one attached to, another, or none. */
  readonly work: 'here' | 'elsewhere' | 'none'
  /** True after `stop`: the next message, decision or `goOn` continues the run. */
  readonly isStopped: boolean
  /** A viewer sees all and may decide; only a writer sends. */
  readonly role: 'writer' | 'viewer'
  /** The name of the writer, if it is another one. */
  readonly writer: string | null
  /** Attached clients, this one included. */
  readonly clients: number
  /** The status of an agent that does not work, if its process reports it; `null` if it does not. */
  readonly standing: string | null
  /** Why the run does not go on although nothing waits; `null` if there is no such trouble. */
  readonly trouble: string | null
}
