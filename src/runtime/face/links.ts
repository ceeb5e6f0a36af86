import type { Receipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import type { ChannelKind } from '../../core/notice/notice-event.ts'

/** A link for one person and one hold in its present state. */
export interface LinkWish {
  readonly hold: Pick<Hold, 'id' | 'level' | 'assignee' | 'due_at'>
  readonly person: string
  readonly channel: ChannelKind
}

/** The target of a link: the hold as its person sees it, or why the link is dead. */
export type LinkTarget =
  | { readonly person: string; readonly hold: HoldView; readonly refusal: null }
  | { readonly person: string; readonly hold: null; readonly refusal: RefusedError }

/** A person's decision at a link: they never say who they are. */
export type LinkDecision = Pick<DecisionInput, 'verdict' | 'reason' | 'digest'> & {
  /** With `respond`: the answer as text. */
  readonly text?: string
}

/**
 * Single-use links of messages. The holder of a link is its person for its hold, and no more. They are for hosts: an
 * agent that could make one could sign as a person, so the face has none.
 */
export interface Links {
  /** Makes a link and returns its secret. The store keeps only the digest, so nobody can read the secret again. */
  make(wish: LinkWish): Promise<string>

  /**
   * Looks at a hold through a link. Decides nothing and uses nothing up, because programs fetch links too. `reader` is
   * the person who is signed in at the opening browser; `null` if unknown.
   * @throws RefusedError `unknown_link`
   */
  look(secret: string, reader: string | null): Promise<LinkTarget>

  /**
   * Decides as `decide` does, with the name of the link's person, and uses the link up.
   * @throws RefusedError `unknown_link`
   */
  decide(secret: string, decision: LinkDecision, reader: string | null): Promise<Receipt>
}
