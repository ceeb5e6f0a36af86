import { isOnRecord, type Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { GrantInput } from '../../../core/hold/grant.ts'
import { includesRole, type Role } from '../../../core/people/role.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import type { MessageContent } from '../../../runtime/views/message-content.ts'
import { signerOf } from '../../http/gate.ts'
import { problemResponse } from '../../http/problem.ts'
import { receiptProblem } from '../../http/refusal-problem.ts'
import { type Asked, type RestRoute, signature, surfaceOf } from '../route/rest-route.ts'
import { described, FLAG, listOf, NAME, object, SAID, SEEN, TEXT, TIME, words } from '../route/schema-parts.ts'

interface Seen {
  readonly digest?: string
  readonly level?: number
}

interface DecisionBody {
  readonly verdict: DecisionInput['verdict']
  readonly arguments?: JsonObject
  readonly value?: Json
  readonly reason?: string
  readonly grant?: GrantInput
  readonly seen?: Seen
}

interface OneOfMany extends DecisionBody {
  readonly hold_id: string
  readonly decision_id?: string
}

const DECISION: Readonly<Record<string, JsonObject>> = {
  verdict: words('approve', 'reject', 'edit', 'respond', 'cancel'),
  arguments: { type: 'object', description: 'With `edit`: what to run instead, in full.' },
  value: { description: 'With `respond`: the answer, or the result of the call.' },
  reason: described(TEXT, 'Recorded, and told to the model.'),
  grant: object(
    {
      name: NAME,
      scope: words('run', 'thread', 'project'),
      expires_at: { ...TIME, type: ['string', 'null'] },
      match: { type: ['object', 'null'], additionalProperties: TEXT },
    },
    ['name', 'scope'],
  ),
  seen: SEEN,
}

const REFUSED: RestRoute['answers'] = {
  403: 'The caller may not decide this hold.',
  404: 'There is no such hold.',
  409: 'Another decision was first: `winner` is that decision.',
  410: 'The hold expired or was withdrawn.',
  412: 'The hold is not what the caller saw.',
  422: 'The decision does not fit the hold, which stays open.',
}

export const DECISION_ROUTES: readonly RestRoute[] = [
  {
    method: 'POST',
    path: '/v1/holds/:id/decisions',
    role: 'decider',
    summary: 'Decide a hold, in the name of the token',
    takesKey: true,
    body: object(DECISION, ['verdict']),
    answers: { 200: '#Receipt', ...REFUSED },
    answer: async ({ params: { id = '' }, body, caller, proof, key }, { holdpoint }) => {
      const said = decisionOf(
        { ...(body as DecisionBody), hold_id: id, ...(key !== null && { decision_id: key }) },
        { caller, proof },
      )
      return receiptResponse(await holdpoint.decide(id, said))
    },
  },
  {
    method: 'POST',
    path: '/v1/decisions',
    role: 'decider',
    summary: 'Decide several holds in one transaction, each for itself or all or none',
    body: object(
      {
        decisions: {
          ...listOf(object({ hold_id: NAME, decision_id: NAME, ...DECISION }, ['hold_id', 'verdict'])),
          ...{ minItems: 1, maxItems: 200 },
        },
        all: described(FLAG, 'All or none: then only the receipts of those in the way are returned. Default: false.'),
      },
      ['decisions'],
    ),
    answers: { 200: '#Receipts' },
    answer: async ({ body, caller, proof }, { holdpoint }) => {
      const { decisions, all = false } = body as { readonly decisions: readonly OneOfMany[]; readonly all?: boolean }
      const receipts = await holdpoint.decideMany(
        decisions.map(each => decisionOf(each, { caller, proof })),
        { all },
      )
      return Response.json({ receipts: receipts.map(receiptDocument) })
    },
  },
  {
    method: 'POST',
    path: '/v1/holds/:id/answer',
    role: 'decider',
    summary: 'Answer a question in words, or an approval with a yes or a no',
    takesKey: true,
    body: object({ ...SAID, seen: SEEN }),
    answers: { 200: '#Receipt', ...REFUSED },
    answer: async ({ params: { id = '' }, body, caller, proof, key }, { holdpoint }) => {
      const { seen, ...content } = body as MessageContent & Pick<DecisionBody, 'seen'>
      const by = { ...signerOf(caller), surface: surfaceOf(proof), ...(key !== null && { decision_id: key }) }
      return receiptResponse(await holdpoint.answer(id, { ...content, ...by, ...seen }))
    },
  },
  {
    method: 'POST',
    path: '/v1/holds/:id/assign',
    role: 'decider',
    summary: 'Say who is asked to decide; it gives nobody the right to',
    body: object({ assignee: { type: ['string', 'null'], minLength: 1, maxLength: 500 }, reason: TEXT }, ['assignee']),
    answers: { 200: '#Hold', 404: 'There is no such hold.', 409: 'The hold is not open any more.' },
    answer: async ({ params: { id = '' }, body, caller, proof }, { holdpoint }) => {
      const { assignee, reason = null } = body as { readonly assignee: string | null; readonly reason?: string }
      return Response.json(await holdpoint.assign(id, { assignee, reason, ...signature({ caller, proof }) }))
    },
  },
]

/** The caller signs: nothing in a body does. @throws RefusedError `role_not_sufficient` */
function decisionOf({ seen, ...said }: OneOfMany, { caller, proof }: Pick<Asked, 'caller' | 'proof'>): DecisionInput {
  const { name, role } = caller
  // It lets calls of later runs pass, which this caller may never have seen.
  if (said.grant?.scope === 'project' && !includesRole(role, 'operator')) throw grantBeyondRole(name, role)
  return { ...said, ...seen, ...signerOf(caller), surface: surfaceOf(proof) }
}

function receiptResponse(receipt: Receipt): Response {
  if (isOnRecord(receipt)) return Response.json(receipt)
  const problem = receiptProblem(receipt)
  return problemResponse({ ...problem, more: { ...problem.more, hold: receipt.hold } })
}

/** Of one among several: a refusal also names the next step. */
function receiptDocument(receipt: Receipt): object {
  if (receipt.outcome !== 'refused') return receipt
  const { error, ...rest } = receipt
  return { ...rest, error: { ...error.toJSON(), ...(error.action && { action: error.action }) } }
}

function grantBeyondRole(name: string, role: Role): RefusedError {
  return new RefusedError(
    'role_not_sufficient',
    `The token of ${name} has the role ${role}, and a grant for the whole project takes the role operator. Nothing was recorded.`,
    { hint: 'Grant it for the run or the thread, or approve this call alone.' },
  )
}
