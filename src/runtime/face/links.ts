import type { Receipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import type { ChannelKind } from '../../core/notice/notice-event.ts'

/** For one person and one hold, as it is asked now. */
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
  /** The secret of a new link, which is told here once: the store has its digest alone. */
  make(wish: LinkWish): Promise<string>

  /**
   * Decides nothing, and uses nothing up: programs fetch links too. `reader` is who is signed in where it was opened; `null`
   * if that is not known. @throws RefusedError `unknown_link`
   */
  look(secret: string, reader: string | null): Promise<LinkTarget>

  /** As `decide`, with the name of its person; then the link is used. @throws RefusedError `unknown_link` */
  decide(secret: string, said: LinkDecision, reader: string | null): Promise<Receipt>
}
