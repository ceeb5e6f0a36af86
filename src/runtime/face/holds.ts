import type { DueEvent } from '../../core/deadlines/next-due.ts'
import type { Receipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import type { Principal } from '../../ports/identity.ts'
import type { HoldQuery } from '../../ports/store/holds.ts'
import type { ChangeWish } from '../definitions/refuse-widening.ts'
import type { Answer } from '../holds/answer-hold.ts'
import type { AssignOptions } from '../holds/assign-hold.ts'
import type { DecideOptions } from '../holds/decide-holds.ts'

/** Lists holds and decides them. */
export interface Holds {
  /** `null` if there is no such hold. */
  hold(id: string): Promise<Hold | null>

  holds(query?: HoldQuery): Promise<readonly Hold[]>

  /**
   * A hold with all that helps to decide it: why it asks, whose it is, its siblings, earlier answers, history, deadline in
   * words, and whether this principal may decide. `null` if there is no such hold, or the principal may not see it. Record
   * with `audit.shown` that it was shown.
   */
  holdInContext(id: string, principal: Principal): Promise<HoldView | null>

  /** Never throws because of other decisions: the receipt tells (P2). */
  decide(holdId: string, input: Omit<DecisionInput, 'hold_id'>): Promise<Receipt>

  /**
   * One transaction. Each decision stands for itself, and receipts come in the order of `inputs`. If the store fails on
   * one of them, the others are recorded without it, and its receipt is `refused` with `decision_failed`. It throws only
   * if all of them fail. With `all` they stand together: if one cannot be recorded, none is, and only the receipts of
   * those in the way are returned.
   */
  decideMany(inputs: readonly DecisionInput[], options?: DecideOptions): Promise<readonly Receipt[]>

  /**
   * Takes a text as the decision on a hold: the answer to a question, or a yes or no to an approval. As `decide`; a text
   * that is no clear yes or no is refused with `unclear_answer`, and the thread tells.
   */
  answer(holdId: string, answer: Answer): Promise<Receipt>

  /** Records who is asked; it gives no person the right to decide. @throws RefusedError */
  assign(holdId: string, options: AssignOptions): Promise<Hold>

  /**
   * The refusals that these decisions would get, and the changes of settings that come with them, whatever others decide
   * meanwhile; nothing is recorded.
   */
  objections(inputs: readonly DecisionInput[], wish?: ChangeWish): Promise<readonly RefusedError[]>

  /** Fires what is due by now: reminders, escalations, expiries, each once. Resolves to what happened, in order. */
  expireHolds(): Promise<readonly DueEvent[]>

  /** When something will be due next (ISO time); `null` if nothing will. */
  nextDue(): Promise<string | null>
}
