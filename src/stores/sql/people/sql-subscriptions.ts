import type { PushKeys, Subscription } from '../../../core/notice/push/subscription.ts'
import type { NewSubscription, SubscriptionStore } from '../../../ports/store/people/subscriptions.ts'
import { asPushKeys, asSubscription } from '../../rows/session-row.ts'
import type { SqlDeps, SqlDriver } from '../driver/driver.ts'
import { all, first, run, type Work } from '../driver/work.ts'

/** `?1` is the time. */
const COUNTS = `
  (p.session_id IS NULL OR EXISTS (SELECT 1 FROM @sessions s
     WHERE s.id = p.session_id AND s.ended_at IS NULL AND s.expires_at > ?1))
  AND (p.token_id IS NULL OR EXISTS (SELECT 1 FROM @access t
     WHERE t.id = p.token_id AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?1)))`

/** The row of each subscription that counts, with what its session or token says today. */
const FOUND = `
  SELECT p.id, p.endpoint, p.p256dh, p.auth, p.created_at, p.name, coalesce(s.role, t.role) AS role,
    coalesce(s.groups, '[]') AS groups, s.proof
  FROM @subscriptions p LEFT JOIN @sessions s ON s.id = p.session_id LEFT JOIN @access t ON t.id = p.token_id
  WHERE ${COUNTS}`

export class SqlSubscriptions implements SubscriptionStore {
  readonly #driver: SqlDriver

  constructor({ driver }: SqlDeps) {
    this.#driver = driver
  }

  async add(subscription: NewSubscription, most: number): Promise<void> {
    const { id, name, session_id, token_id, endpoint, p256dh, auth } = subscription
    await this.#driver.transaction(function* ({ now }) {
      yield* removeEnded(now)
      yield* run(
        `INSERT INTO @subscriptions AS p (id, name, session_id, token_id, endpoint, p256dh, auth, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (endpoint) DO UPDATE SET
           id = CASE WHEN p.name = excluded.name THEN p.id ELSE excluded.id END,
           created_at = CASE WHEN p.name = excluded.name THEN p.created_at ELSE excluded.created_at END,
           name = excluded.name, session_id = excluded.session_id, token_id = excluded.token_id,
           p256dh = excluded.p256dh, auth = excluded.auth`,
        [id, name, session_id, token_id, endpoint, p256dh, auth, now],
      )
      yield* run(
        `DELETE FROM @subscriptions WHERE name = ?1 AND endpoint <> ?2 AND number NOT IN (
           SELECT number FROM @subscriptions WHERE name = ?1 AND endpoint <> ?2 ORDER BY number DESC LIMIT ?3)`,
        [name, endpoint, most - 1],
      )
    })
  }

  async find(id: string): Promise<Subscription | null> {
    const row = await this.#driver.snapshot(({ now }) => first(`${FOUND} AND p.id = ?2`, [now, id]))
    return row ? asSubscription(row) : null
  }

  async list({ limit }: { readonly limit?: number } = {}): Promise<readonly Subscription[]> {
    const listed = `${FOUND} ORDER BY p.number LIMIT ?2`
    return (await this.#driver.snapshot(({ now }) => all(listed, [now, limit ?? null]))).map(asSubscription)
  }

  async remove(which: { readonly id: string } | { readonly name: string; readonly endpoint: string }): Promise<void> {
    await this.#driver.transaction(() =>
      'id' in which
        ? run('DELETE FROM @subscriptions WHERE id = ?', [which.id])
        : run('DELETE FROM @subscriptions WHERE name = ? AND endpoint = ?', [which.name, which.endpoint]),
    )
  }

  async keys(): Promise<PushKeys | null> {
    return this.#driver.read(keptKeys)
  }

  async keepKeys({ public_key, private_key }: PushKeys): Promise<PushKeys> {
    return this.#driver.transaction(function* () {
      yield* run('INSERT INTO @push_keys (one, public_key, private_key) VALUES (1, ?, ?) ON CONFLICT DO NOTHING', [
        ...[public_key, private_key],
      ])
      return (yield* keptKeys()) ?? { public_key, private_key }
    })
  }
}

/** Inside the transaction that ends a session or a token. Those that expired since the last time go with it. */
export function* removeEnded(now: number): Work<void> {
  yield* run(`DELETE FROM @subscriptions AS p WHERE NOT (${COUNTS})`, [now])
}

function* keptKeys(): Work<PushKeys | null> {
  const row = yield* first('SELECT public_key, private_key FROM @push_keys')
  return row ? asPushKeys(row) : null
}
