import type { NewGrant } from '../hold/grant.ts'
import type { NewAuditEntry } from './audit.ts'
import { grantData } from './decision-record.ts'

/** P10: the record of a grant without a decision: a suggested rule that a person switches on. */
export function givenGrantEntry(grant: NewGrant, digest: (text: string) => string): NewAuditEntry {
  const { granted_by: actor, surface, hold_id } = grant
  return { kind: 'grant.given', actor, surface, hold_id, data: grantData(grant, digest) }
}
