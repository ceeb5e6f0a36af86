/** The documents of the server: the types that `/openapi.json` is made from, so the page cannot expect other ones. */
import type { Answered } from '../../../scripts/http-documents.ts'

export type Caller = Answered['Caller']
export type SignInWay = Answered['Session']['ways'][number]
type Told = Answered['ChangeStream']
/** Ids of what a record is about; agents that changed have none of them. */
export type Change = Pick<Told, 'kind'> & Partial<Omit<Exclude<Told, { kind: 'agents.changed' }>, 'kind'>>
export type HoldRow = Answered['Inbox']['holds'][number]
export type HoldView = Answered['HoldView']
export type Receipt = Answered['Receipt']
export type { Decision, DecisionVerdict } from '../../../src/core/hold/decision.ts'
export type { Hold, HoldKind, HoldStatus } from '../../../src/core/hold/hold.ts'
export type { Json, JsonObject } from '../../../src/core/text/json.ts'
export type Documents = Answered
