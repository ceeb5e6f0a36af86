import type { DueEvent } from '../../core/deadlines/next-due.ts'
import type { Receipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import type { Principal } from '../../ports/identity.ts'
import type { HoldQuery } from '../../ports/store/holds.ts'
import type { ChangeWish } from '../definitions/refuse-widening.ts'
import type { StopStartedOptions, WaitForStartedOptions } from '../doubt/attend-started.ts'
import type { Answer } from '../holds/answer-hold.ts'
import type { AssignOptions } from '../holds/assign-hold.ts'
import type { DecideOptions } from '../holds/decide-holds.ts'

/** Lists holds and decides them. */
export interface Holds {
  /** `null` if there is no such hold. */
  hold(id: string): Promise<Hold | null>

  /** Lists the holds that fit all fields of the query, oldest first unless `order` says otherwise. */
  holds(query?: HoldQuery): Promise<readonly Hold[]>

  /**
   * A hold with all that helps to decide it: why it asks, whose it is, its siblings, earlier answers, history, deadline in
   * words, and whether this principal may decide. `null` if there is no such hold, or the principal may not see it. Record
   * with `audit.shown` that it was shown.
   */
  holdInContext(id: string, principal: Principal): Promise<HoldView | null>

  /** Never throws because of other decisions: the receipt has the outcome (P2). */
  decide(holdId: string, input: Omit<DecisionInput, 'hold_id'>): Promise<Receipt>

  /**
   * Decides several holds in one transaction. Receipts have the order of `inputs`. If the store fails on one decision,
   * the others are recorded without it, and its receipt is `refused` with `decision_failed`. The verb throws only if
   * all of them fail. With `all`, one decision that cannot be recorded stops all of them, and only the receipts of
   * those in the way are returned.
   */
  decideMany(inputs: readonly DecisionInput[], options?: DecideOptions): Promise<readonly Receipt[]>

  /**
   * Takes a text as the decision on a hold: the answer to a question, or a yes or no to an approval. A text that is no
   * clear yes or no is refused with `unclear_answer`, and the journal notes it.
   */
  answer(holdId: string, answer: Answer): Promise<Receipt>

  /**
   * Stops the command that a call in doubt had started and that still runs on this machine, with all that it started. It
   * decides nothing. @throws RefusedError; then nothing was stopped.
   */
  stopStarted(holdId: string, options: StopStartedOptions): Promise<Hold>

  /** Resolves to the hold once what its call in doubt had started runs no more, or the wait is over. @throws RefusedError */
  waitForStarted(holdId: string, options?: WaitForStartedOptions): Promise<Hold>

  /** Records who is asked; it gives no person the right to decide. @throws RefusedError */
  assign(holdId: string, options: AssignOptions): Promise<Hold>

  /**
   * The refusals that these decisions and the changes of settings with them would get, apart from decisions of others
   * meanwhile. Records nothing.
   */
  objections(inputs: readonly DecisionInput[], wish?: ChangeWish): Promise<readonly RefusedError[]>

  /** Fires what is due by now: reminders, escalations, expiries, each once. Resolves to what happened, in order. */
  expireHolds(): Promise<readonly DueEvent[]>

  /** When something will be due next (ISO time); `null` if nothing will. */
  nextDue(): Promise<string | null>
}
