import { unknown } from '../../core/errors.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'

/** Standing approvals: they are given along with a decision, and taken back here. */
export class RuntimeGrants {
  readonly #runtime: Runtime

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  async list({
    all = false,
    ...query
  }: Omit<GrantQuery, 'valid_at'> & { readonly all?: boolean } = {}): Promise<readonly Grant[]> {
    const valid_at = new Date(this.#runtime.clock.now()).toISOString()
    return this.#runtime.store.grants(all ? query : { ...query, valid_at })
  }

  async revoke(id: string, by: { readonly by: string; readonly surface: string }): Promise<Grant> {
    const grant = await this.#runtime.store.revoke({ grant_id: id, ...by })
    if (grant) return grant
    throw unknown('unknown_grant', 'grant', { id, find: 'find_grant' })
  }
}
