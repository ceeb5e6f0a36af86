import { unknown } from '../../core/errors.ts'
import { A_NAME, checkFields, checkValue } from '../../core/given-fields.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'
import { givenId, grantQuery } from '../views/given-queries.ts'

function signed(by: { readonly by: string; readonly surface: string }): typeof by {
  checkFields('grants.revoke', by, { by: A_NAME, surface: A_NAME })
  checkValue('`by` of grants.revoke', by.by, A_NAME)
  checkValue('`surface` of grants.revoke', by.surface, A_NAME)
  return by
}

/** Standing approvals: they are given along with a decision, and taken back here. */
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

  async revoke(id: string, by: { readonly by: string; readonly surface: string }): Promise<Grant> {
    const grant = await this.#runtime.store.revoke({ grant_id: givenId('grant', id), ...signed(by) })
    if (grant) return grant
    throw unknown('unknown_grant', 'grant', { id, find: 'find_grant' })
  }
}
