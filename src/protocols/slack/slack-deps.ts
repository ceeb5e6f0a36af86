import type { Json } from '../../core/text/json.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'

/** The parts of the server that clicks in Slack are answered from. */
export interface SlackDeps {
  readonly holdpoint: Pick<Holdpoint, 'hold' | 'decide' | 'answer' | 'audit'>
  /** Secrets of the app; several while one replaces another. */
  readonly signingSecrets: readonly string[]
  /** The person of the project with this Slack user id; `null` if there is none. */
  readonly personOf: (userId: string) => string | null
  /** Id of the workspace whose people count. An app may be installed in others too, and signs for all of them. */
  readonly team: () => Promise<string>
  readonly replies: SlackReplies
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onError: (error: Error) => void
}

/** Messages to Slack other than the answers to its requests. Each throws if Slack does not take it. */
export interface SlackReplies {
  /** Shown only to the person who clicked. */
  whisper(to: Clicked, text: string): Promise<void>
  /** Opens a modal. Slack takes it within three seconds of the click. */
  openView(triggerId: string, view: Json): Promise<void>
}

/** A person in the place in which they clicked. */
export interface Clicked {
  readonly userId: string
  readonly channel: string | null
  /** A URL of Slack that takes five answers within 30 minutes; `null` if there is none. */
  readonly responseUrl: string | null
}

/** The surface that decisions are signed with. */
export const SURFACE = 'slack'
