import type { Grant } from '../../core/hold/grant.ts'
import type { RuleGrant, SuggestionQuery, Suggestions } from '../../core/load/suggestion.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'
import type { Giver } from '../grants/give-rule.ts'

/** Standing approvals: most are given along with a decision. They are taken back here. */
export interface Grants {
  /** Oldest first; without `all` only those that are neither revoked nor expired. */
  list(query?: Omit<GrantQuery, 'valid_at'> & { readonly all?: boolean }): Promise<readonly Grant[]>

  /**
   * Rules that would have spared people approvals, with what speaks for each. No person ever refused a call that one of
   * them covers. Nothing is allowed by it. @throws RefusedError `invalid_arguments`
   */
  suggest(query?: SuggestionQuery): Promise<Suggestions>

  /**
   * Switches a suggested rule on: a grant for the project that expires. The giver needs the right to decide such calls.
   * @throws RefusedError `invalid_grant`, `invalid_arguments`, `not_a_decider`, …; then nothing was written
   */
  add(rule: RuleGrant, by: Giver): Promise<Grant>

  /** From here on calls that it covered are asked about again. @throws RefusedError `unknown_grant` */
  revoke(id: string, by: { readonly by: string; readonly surface: string }): Promise<Grant>
}
