import type { TokenRow } from '../../../core/audit/standing/standing-on-record.ts'
import { tokenProof } from '../../../core/audit/token-proof.ts'
import type { AccessToken } from '../../../core/people/access-token.ts'
import type { PlaceName, TrustedPlace } from '../../../core/people/trusted-place.ts'
import type { AccessStore, NewAccessToken, PlaceTrust, TokenRevocation } from '../../../ports/store/access.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asPlace, asToken, asTokenRow } from '../../rows/token-row.ts'
import { sha256 } from '../../sha256.ts'
import type { SqlDeps, Transaction } from '../driver/driver.ts'
import { all, first, run, type Work } from '../driver/work.ts'
import { removeEnded } from './sql-subscriptions.ts'

export class SqlAccess implements AccessStore {
  readonly #deps: SqlDeps

  constructor(deps: SqlDeps) {
    this.#deps = deps
  }

  async add({ id, name, role, digest, expires_at, by, surface }: NewAccessToken): Promise<AccessToken> {
    return this.#recording(function* ({ now, record }) {
      const row = yield* first(
        `INSERT INTO @access (id, kind, name, role, digest, created_at, created_by, expires_at)
         VALUES (?, 'token', ?, ?, ?, ?, ?, ?) RETURNING *`,
        [id, name, role, digest, now, by, millisecondsOrNull(expires_at)],
      )
      const data = { token_id: id, name, role, expires_at, proof: tokenProof(digest, sha256) }
      yield* record([{ kind: 'access.added', actor: by, surface, data }])
      return asToken(row ?? {})
    })
  }

  async find(digest: string): Promise<AccessToken | null> {
    const row = await this.#deps.driver.read(() => first('SELECT * FROM @access WHERE digest = ?', [digest]))
    return row ? asToken(row) : null
  }

  async list(): Promise<readonly AccessToken[]> {
    return (await this.#deps.driver.read(() => all('SELECT * FROM @access ORDER BY number'))).map(asToken)
  }

  async revoke({ id, by, surface }: TokenRevocation): Promise<AccessToken | null> {
    return this.#recording(function* ({ now, record }) {
      const revoke = 'UPDATE @access SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL'
      const count = yield* run(revoke, [now, by, id])
      const row = yield* first('SELECT * FROM @access WHERE id = ?', [id])
      const token = row ? asToken(row) : null
      const data = { token_id: id, name: token?.name ?? null }
      if (count === 1) yield* record([{ kind: 'access.revoked', actor: by, surface, data }])
      yield* removeEnded(now)
      return token
    })
  }

  async places(): Promise<readonly TrustedPlace[]> {
    return (await this.#deps.driver.read(() => all('SELECT * FROM @places ORDER BY trusted_at'))).map(asPlace)
  }

  async claimPlace(place: PlaceName): Promise<void> {
    await this.#deps.driver.transaction(({ now }) => claimPlace(place, now))
  }

  async trustPlace({ place: { boot, namespaces }, by, surface }: PlaceTrust): Promise<void> {
    await this.#recording(function* ({ now, record }) {
      const count = yield* run(
        'INSERT INTO @places (boot, namespaces, trusted_at, trusted_by) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        [boot, namespaces, now, by],
      )
      const data = { boot, namespaces }
      if (count === 1) yield* record([{ kind: 'place.trusted', actor: by, surface, data }])
    })
  }

  async #recording<T>(work: (transaction: Transaction) => Work<T>): Promise<T> {
    const result = await this.#deps.driver.transaction(work)
    this.#deps.changes.tellOfRecords()
    return result
  }
}

/** Inside a transaction. The first place since a start of the machine is trusted; of two that ask at once, one. */
export function* claimPlace({ boot, namespaces }: PlaceName, at: number): Work<void> {
  yield* run('LOCK TABLE @places IN SHARE ROW EXCLUSIVE MODE')
  yield* run(
    `INSERT INTO @places (boot, namespaces, trusted_at)
     SELECT ?1, ?2, ?3::bigint WHERE NOT EXISTS (SELECT 1 FROM @places WHERE boot = ?1)`,
    [boot, namespaces, at],
  )
}

/** Reads all tokens as they are now, each with its proof. */
export function* storedTokens(): Work<TokenRow[]> {
  return (yield* all('SELECT * FROM @access ORDER BY number')).map(asTokenRow)
}
