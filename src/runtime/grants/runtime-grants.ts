import { unknown } from '../../core/errors.ts'
import { A_NAME, ANYTHING, checkFields, checkValue } from '../../core/given-fields.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { RuleGrant, SuggestionQuery, Suggestions } from '../../core/load/suggestion.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'
import { givenId, grantQuery } from '../views/given-queries.ts'
import type { Giver } from './give-rule.ts'

function signed<By extends Pick<Giver, 'by' | 'surface'>>(verb: string, by: By): By {
  checkFields(verb, by, { by: A_NAME, surface: A_NAME, member_of: ANYTHING })
  checkValue(`\`by\` of ${verb}`, by.by, A_NAME)
  checkValue(`\`surface\` of ${verb}`, by.surface, A_NAME)
  return by
}

/** Standing approvals: most are given along with a decision. They are taken back here. */
export class RuntimeGrants {
  readonly #runtime: Runtime

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  async list(given: Omit<GrantQuery, 'valid_at'> & { readonly all?: boolean } = {}): Promise<readonly Grant[]> {
    const { all = false, ...query } = grantQuery(given)
    const valid_at = new Date(await this.#runtime.store.now()).toISOString()
    return this.#runtime.store.grants(all ? query : { ...query, valid_at })
  }

  // Loaded when it is asked for: no run needs it.
  async suggest(query: SuggestionQuery = {}): Promise<Suggestions> {
    const { suggestRules } = await import('./suggest-rules.ts')
    return suggestRules(this.#runtime, query)
  }

  async add(rule: RuleGrant, by: Giver): Promise<Grant> {
    const { giveRule } = await import('./give-rule.ts')
    return giveRule(this.#runtime, rule, signed('grants.add', by))
  }

  async revoke(id: string, by: { readonly by: string; readonly surface: string }): Promise<Grant> {
    const grant = await this.#runtime.store.revoke({ grant_id: givenId('grant', id), ...signed('grants.revoke', by) })
    if (grant) return grant
    throw unknown('unknown_grant', 'grant', { id, find: 'find_grant' })
  }
}
