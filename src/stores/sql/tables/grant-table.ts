import { givenGrantEntry } from '../../../core/audit/given-grant.ts'
import type { Grant, NewGrant } from '../../../core/hold/grant.ts'
import type { GrantQuery, Revocation } from '../../../ports/store/grants.ts'
import { asGrant, NEW_GRANT } from '../../rows/grant-row.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { sha256 } from '../../sha256.ts'
import { Conditions } from '../driver/conditions.ts'
import type { Dialect } from '../driver/dialect.ts'
import type { Transaction } from '../driver/driver.ts'
import { all, first, run, type Work } from '../driver/work.ts'

/** Inside a transaction. */
export function* insertGrant({ grants }: Dialect, grant: NewGrant): Work<void> {
  const { id, agent, tool, expires_at, ...given } = grant
  const columns = ['id', 'agent', 'tool', 'expires_at', 'given', ...grants.columns]
  yield* run(`INSERT INTO @grants (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`, [
    id,
    agent,
    tool,
    millisecondsOrNull(expires_at),
    JSON.stringify(given),
    ...grants.columns.map(name => given[name]),
  ])
}

export function* findGrant(id: string): Work<Grant | null> {
  const row = yield* first('SELECT * FROM @grants WHERE id = ?', [id])
  return row ? asGrant(row) : null
}

export function* listGrants({ agent, tool, valid_at }: GrantQuery): Work<Grant[]> {
  const chosen = new Conditions()
    .add('agent = ?', agent)
    .add('tool = ?', tool)
    .add('revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)', valid_at && Date.parse(valid_at))
  return (yield* all(`SELECT * FROM @grants ${chosen.where} ORDER BY number`, chosen.values)).map(asGrant)
}

/** Lists grants that count for these runs or threads alone, oldest first. */
export function* listGrantsWithin({ grants }: Dialect, places: readonly string[]): Work<Grant[]> {
  return (yield* all(`SELECT * FROM @grants WHERE ${grants.within} ORDER BY number`, [places])).map(asGrant)
}

/** Inside a transaction: with its record. */
export function* giveGrant({ dialect, record }: Transaction, grant: NewGrant): Work<Grant> {
  yield* insertGrant(dialect, grant)
  yield* record([givenGrantEntry(grant, text => `sha256:${sha256(text)}`)])
  return { ...grant, ...NEW_GRANT }
}

/** Inside a transaction: once, and on record. The grant as it is then; `null` for an unknown one. */
export function* revokeGrant({ now, record }: Transaction, { grant_id, by, surface }: Revocation): Work<Grant | null> {
  const revoke = 'UPDATE @grants SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL'
  const count = yield* run(revoke, [now, by, grant_id])
  if (count === 1) yield* record([{ kind: 'grant.revoked', actor: by, surface, data: { grant_id } }])
  return yield* findGrant(grant_id)
}

/** Inside a transaction: it let one more call pass. */
export function* useGrant(id: string): Work<void> {
  yield* run('UPDATE @grants SET uses = uses + 1 WHERE id = ?', [id])
}

/** Reads all grants as they are now, unreadable ones too. */
export function* storedGrants(): Work<Grant[]> {
  return (yield* all('SELECT * FROM @grants ORDER BY number')).map(asGrant)
}
