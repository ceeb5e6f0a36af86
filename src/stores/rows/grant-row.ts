import { GRANT_SCOPES, type Grant, type NewGrant } from '../../core/hold/grant.ts'
import { json, number, orNull, text, time } from './decode/cells.ts'
import { damageOf, decodeRow, type Row } from './decode/decode-row.ts'
import { isObject, isOneOf, isText, isTime, orNull as maybe, objectWith } from './decode/shapes.ts'

type Given = Omit<NewGrant, 'id' | 'agent' | 'tool' | 'expires_at'>

const IS_GIVEN = objectWith({
  ...{ name: isText, scope: isOneOf(GRANT_SCOPES), scope_id: isText, schema_digest: isText, hold_id: isText },
  ...{ arguments: maybe(isObject), match: maybe(isObject), granted_by: isText, surface: isText, granted_at: isTime },
})

/** P1: it is for no call at all. */
const NOTHING_GIVEN: Given = {
  ...{ name: 'unreadable', scope: 'run', scope_id: '', schema_digest: '', hold_id: '' },
  ...{ arguments: null, match: {}, granted_by: '', surface: '', granted_at: time.instead },
}

const CELLS = {
  id: text(),
  given: json<Given>(IS_GIVEN, 'what was granted', NOTHING_GIVEN),
  agent: text(),
  tool: text(),
  // P1: damage moves neither end to a later time.
  expires_at: orNull(time, time.instead),
  revoked_at: orNull(time, time.instead),
  revoked_by: orNull(text()),
  uses: number,
}

/** A grant that is neither used nor revoked yet. */
export const NEW_GRANT: Pick<Grant, 'revoked_at' | 'revoked_by' | 'uses'> = {
  revoked_at: null,
  revoked_by: null,
  uses: 0,
}

export function asGrant(row: Row): Grant {
  const cells = decodeRow(CELLS, row)
  const { given, agent, tool, expires_at, revoked_at, revoked_by, uses } = cells
  return { id: cells.id, ...given, agent, tool, expires_at, revoked_at, revoked_by, uses, ...damageOf(cells) }
}
