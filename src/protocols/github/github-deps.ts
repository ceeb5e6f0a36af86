import type { Holdpoint } from '../../runtime/face/holdpoint.ts'

/** The parts of the server that comments on GitHub are answered from. */
export interface GitHubDeps {
  readonly holdpoint: Pick<Holdpoint, 'hold' | 'decide' | 'answer' | 'audit'>
  /** Secrets of the webhook; several while one replaces another. */
  readonly secrets: readonly string[]
  /** The repositories whose comments count, as `OWNER/NAME`. */
  readonly repositories: readonly string[]
  /** The person of the project with this login; `null` if there is none. */
  readonly personOf: (login: string) => string | null
  readonly replies: GitHubReplies
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onError: (error: Error) => void
}

/** Replies to the author of a comment. Each throws if GitHub does not take it. */
export interface GitHubReplies {
  /** A mark under the comment, which sends no notification. */
  react(comment: CommentPlace, reaction: '+1' | 'confused'): Promise<void>
  /** A comment of its own. */
  say(comment: CommentPlace, text: string): Promise<void>
}

export interface CommentPlace {
  readonly repository: string
  /** Number of the issue or pull request. */
  readonly number: number
  readonly comment: number
}

/** The surface that decisions are signed with. */
export const SURFACE = 'github'
