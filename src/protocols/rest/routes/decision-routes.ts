import { isOnRecord, type Receipt } from '../../../core/deciding/receipt.ts'
import { type DecisionInput, VERDICTS } from '../../../core/hold/decision.ts'
import { GRANT_SCOPES, type GrantInput } from '../../../core/hold/grant.ts'
import { includesRole } from '../../../core/people/role.ts'
import { settingRefusals } from '../../../core/refusals/setting-refusals.ts'
import type { Json } from '../../../core/text/json.ts'
import {
  described,
  type FitsAll,
  FLAG,
  listOf,
  OBJECT,
  object,
  orNull,
  type Schema,
  TEXT,
  words,
} from '../../../core/text/json-schema.ts'
import type { MessageContent } from '../../../runtime/views/message-content.ts'
import { deciderOf, signerOf } from '../../http/gate.ts'
import { problemResponse } from '../../http/problem.ts'
import { receiptProblem } from '../../http/refusal-problem.ts'
import { type Asked, type RestRoute, verb } from '../route/rest-route.ts'
import { NAME, SAID, SEEN, TIME } from '../route/schema-parts.ts'

const GRANT: Schema<GrantInput> = object(
  {
    name: NAME,
    scope: words(...GRANT_SCOPES),
    expires_at: orNull(TIME),
    match: orNull<Readonly<Record<string, string>>>({ type: 'object', additionalProperties: TEXT }),
  },
  ['name', 'scope'],
)
const DECISION = {
  verdict: words(...VERDICTS),
  arguments: described(OBJECT, 'With `edit`: what to run instead, in full.'),
  value: described({} as Schema<Json>, 'With `respond`: the answer, or the result of the call.'),
  reason: described(TEXT, 'Recorded, and told to the model.'),
  grant: GRANT,
  seen: SEEN,
}
const ONE_OF_MANY = { hold_id: NAME, decision_id: NAME, ...DECISION }

const REFUSED: RestRoute['answers'] = {
  403: 'The caller may not decide this hold.',
  404: 'There is no such hold.',
  409: 'Another decision was first: `winner` is that decision.',
  410: 'The hold expired or was withdrawn.',
  412: 'The hold is not what the caller saw.',
  422: 'The decision does not fit the hold, which stays open.',
}

export const DECISION_ROUTES: readonly RestRoute[] = [
  verb('decide', {
    summary: 'Decide a hold, in the name of the token',
    body: object(DECISION, ['verdict']),
    answers: { 200: '#Receipt', ...REFUSED },
    call: async (asked, { holdpoint }) => {
      const said = { ...asked.body, hold_id: asked.id, ...(asked.key !== null && { decision_id: asked.key }) }
      return receiptResponse(await holdpoint.decide(asked.id, decisionOf(said, asked)))
    },
  }),
  verb('decideMany', {
    summary: 'Decide several holds in one transaction, each for itself or all or none',
    body: object(
      {
        decisions: {
          ...listOf(object(ONE_OF_MANY, ['hold_id', 'verdict'])),
          ...{ minItems: 1, maxItems: 200 },
        },
        all: described(FLAG, 'All or none: then only the receipts of those in the way are returned. Default: false.'),
      },
      ['decisions'],
    ),
    answers: { 200: '#Receipts' },
    call: async (asked, { holdpoint }) => {
      const { decisions, all = false } = asked.body
      const said = decisions.map(each => decisionOf(each, asked))
      return { receipts: (await holdpoint.decideMany(said, { all })).map(receiptDocument) }
    },
  }),
  verb('answer', {
    summary: 'Answer a question in words, or an approval with a yes or a no',
    body: object({ ...SAID, seen: SEEN }),
    answers: { 200: '#Receipt', ...REFUSED },
    call: async ({ id, body, caller, by, key }, { holdpoint }) => {
      const { seen, ...content } = body
      const signed = { ...signerOf(caller), surface: by.surface, ...(key !== null && { decision_id: key }) }
      return receiptResponse(await holdpoint.answer(id, { ...(content as MessageContent), ...signed, ...seen }))
    },
  }),
  verb('assign', {
    summary: 'Say who is asked to decide; it gives nobody the right to',
    body: object({ assignee: orNull(NAME), reason: TEXT }, ['assignee']),
    answers: { 200: '#Hold', 404: 'There is no such hold.', 409: 'The hold is not open any more.' },
  }),
  verb('stopStarted', {
    summary: 'Stop the command that a call in doubt had started and that still runs on the machine of the server',
    answers: {
      200: '#Hold',
      403: 'The caller may not decide this hold.',
      404: 'There is no such hold.',
      409: 'Nothing was started for it (`nothing_started`), or it is no command here (`cannot_be_stopped`).',
    },
  }),
]

type OneOfMany = FitsAll<typeof ONE_OF_MANY, 'hold_id' | 'verdict'>

/** The caller signs: nothing in a body does. @throws RefusedError `role_not_sufficient` */
function decisionOf({ seen, ...said }: OneOfMany, { caller, by }: Pick<Asked, 'caller' | 'by'>): DecisionInput {
  const { name, role } = caller
  // A project grant lets calls of later runs pass, which this caller may never have seen.
  if (said.grant?.scope === 'project' && !includesRole(role, 'operator'))
    throw settingRefusals.grantBeyondRole(name, role)
  return { ...said, ...seen, ...deciderOf(caller), surface: by.surface }
}

function receiptResponse(receipt: Receipt): Response | object {
  if (isOnRecord(receipt)) return receipt
  const problem = receiptProblem(receipt)
  return problemResponse({ ...problem, more: { ...problem.more, hold: receipt.hold } })
}

/** The receipt among several: a refusal also names the next step. */
function receiptDocument(receipt: Receipt): object {
  if (receipt.outcome !== 'refused') return receipt
  const { error, ...rest } = receipt
  return { ...rest, error: { ...error.toJSON(), ...(error.action && { action: error.action }) } }
}
