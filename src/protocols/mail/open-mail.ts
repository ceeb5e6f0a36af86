/**
 * Replies to our mails, as the program that receives mail passes them on.
 * R1  The request is signed, and the mail is signed by the domain of its sender: only then it is from a person.
 * R2  It answers a mail of ours: the id of that mail names the hold, and nothing in the text does.
 * R3  It was written to us, after our mail: a mail that a person wrote to others, or before, is no answer, even if
 *     somebody who has a copy of it makes it answer ours.
 * R4  Words approve only if that mail showed all that they release (P9). They are read by the parser of answers, and
 *     unclear words decide nothing (P1).
 */
import { createHash } from 'node:crypto'
import { isOnRecord, type Receipt } from '../../core/deciding/receipt.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { missingWord, typedOf } from '../../core/notice/notice-offers.ts'
import type { Holds } from '../../runtime/face/holds.ts'
import type { RecordRefusal } from '../http/deliveries/refusal-record.ts'
import { isProblem, type Problem, problemResponse } from '../http/problem.ts'
import { isJson, NO_JSON_TYPE, parseJson, readBody } from '../http/read-json.ts'
import { receiptProblem } from '../http/refusal-problem.ts'
import type { Exchange, Protocol, RouteOperation } from '../http/route.ts'
import { ownWords } from './own-words.ts'
import {
  answeredIds,
  headerOf,
  isAutomatic,
  isSentTo,
  isSignedFor,
  type ReceivedMail,
  readReceived,
  senderOf,
  writtenAt,
} from './received-mail.ts'
import { objectionToSignature } from './webhook-signature.ts'

/** The hold that a mail of ours was about. */
export interface AnsweredMail {
  readonly hold_id: string
  /** True if it showed all that an approval releases. */
  readonly isWhole: boolean
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
}

export interface MailDeps {
  readonly holdpoint: Pick<Holds, 'hold' | 'decide' | 'answer'>
  /** Several while they are changed. */
  readonly secrets: readonly string[]
  /** The addresses to which people reply. */
  readonly addresses: readonly string[]
  /** The person with this address in lower case; `null` if there is none, or more than one. */
  readonly personOf: (address: string) => string | null
  /** Finds a mail by the part of its id before the `@`; `null` if it is not ours, or asked about several holds. */
  readonly mailOf: (id: string) => Promise<AnsweredMail | null>
  readonly turnAway: RecordRefusal
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PATH = '/mail/inbound'
const SURFACE = 'mail'
const MAX_BYTES = 256 * 1024
const CLOCKS_DIFFER_MS = 60 * 60_000

export function openMail(deps: MailDeps): Protocol {
  const answer = (exchange: Exchange) => received(exchange, deps)
  return { routes: [{ methods: ['POST'], path: PATH, isPublic: true, operations: { POST: RECEIVE }, answer }] }
}

const RECEIVE: RouteOperation = {
  summary: 'A reply to a mail of this server',
  description: 'For the program that receives mail: `webhook-signature` as Standard Webhooks has it.',
  body: {
    type: 'object',
    properties: {
      headers: { type: 'array', items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 } },
      text: { type: 'string' },
      dkim: { type: 'array', items: { type: 'object' } },
    },
    required: ['headers', 'text'],
  },
  answers: { 200: { text: 'It is recorded, was before, or came from a program.', type: 'application/json' } },
  refusalType: 'application/problem+json',
}

async function received({ request }: Exchange, deps: MailDeps): Promise<Response> {
  const body = await readBody(request, MAX_BYTES)
  if (isProblem(body)) return problemResponse(body)
  const fault = objectionToSignature({ headers: request.headers, bytes: body.bytes }, deps.secrets, deps.now())
  if (fault) return turnedAway(deps, { ...NOT_SIGNED, code: fault })
  if (!isJson(request)) return problemResponse(NO_JSON_TYPE)
  const parsed = parseJson(body.bytes)
  if (isProblem(parsed)) return problemResponse(parsed)
  const mail = readReceived(parsed.json)
  if (mail === null) return problemResponse(NOT_A_MAIL)
  return isAutomatic(mail) ? Response.json({ outcome: 'ignored' }) : answered(mail, deps)
}

async function answered(mail: ReceivedMail, deps: MailDeps): Promise<Response> {
  const address = senderOf(mail)
  if (address === null || !isSignedFor(mail, address)) return turnedAway(deps, NOT_PROVEN)
  const person = deps.personOf(address)
  if (person === null) return turnedAway(deps, NOT_A_PERSON, address)
  if (!isSentTo(mail, deps.addresses)) return turnedAway(deps, NOT_TO_US, person)
  const about = await aboutHold(mail, deps)
  if (about === null) return turnedAway(deps, NO_MAIL, person)
  if ((writtenAt(mail) ?? about.at) < about.at - CLOCKS_DIFFER_MS) return turnedAway(deps, WRITTEN_BEFORE, person)
  const said = { person, text: ownWords(mail.text), id: decisionId(mail, about) }
  const receipt = await decided(said, about, deps)
  return isProblem(receipt) ? turnedAway(deps, receipt, person) : receiptResponse(receipt)
}

async function aboutHold(mail: ReceivedMail, { mailOf }: MailDeps): Promise<AnsweredMail | null> {
  for (const id of answeredIds(mail)) {
    const found = await mailOf(id)
    if (found) return found
  }
  return null
}

interface Reply {
  readonly person: string
  readonly text: string
  readonly id: string
}

/** `deny: too expensive` */
const DENIAL = /^(?:deny|denied|reject|rejected|no)\s*[:,\u2013-]\s*(\S[\s\S]*)$/i

/** `approve main` */
const OVERRIDE = /^approved?\s+(\S+)$/i

/** Why it is not recorded, if words would release what their mail did not show, or an override without its thing. */
async function decided(
  { person, text, id }: Reply,
  mail: AnsweredMail,
  { holdpoint }: MailDeps,
): Promise<Receipt | Problem> {
  const hold = await holdpoint.hold(mail.hold_id)
  const by = { decided_by: person, surface: SURFACE, decision_id: id }
  const reason = hold?.kind === 'approval' ? DENIAL.exec(text)?.[1] : undefined
  if (reason !== undefined) return holdpoint.decide(mail.hold_id, { verdict: 'reject', reason, ...by })
  if (hold === null || !isOpenApproval(hold)) return holdpoint.answer(mail.hold_id, { text, ...by })
  if (!mail.isWhole) return SHOWN_IN_PART
  const missing = missingWord(hold, OVERRIDE.exec(text)?.[1] ?? '')
  if (missing !== null) return { ...WORD_MISSING, hint: missing }
  return typedOf(hold) === null
    ? holdpoint.answer(mail.hold_id, { text, ...by })
    : holdpoint.decide(mail.hold_id, { verdict: 'approve', ...by })
}

function isOpenApproval({ kind, status }: Hold): boolean {
  return kind === 'approval' && status === 'open'
}

/** A mail that arrives again is the same decision. */
function decisionId(mail: ReceivedMail, { hold_id }: AnsweredMail): string {
  const said = [headerOf(mail, 'message-id') ?? mail.text, hold_id]
  return `${SURFACE}:${createHash('sha256').update(JSON.stringify(said)).digest('hex')}`
}

function receiptResponse(receipt: Receipt): Response {
  if (!isOnRecord(receipt)) return problemResponse(receiptProblem(receipt))
  const { outcome, hold, decision } = receipt
  return Response.json({ outcome, hold_id: hold.id, verdict: decision.verdict, decided_by: decision.decided_by })
}

/** P10: whom this door turned away is on record. */
async function turnedAway({ turnAway }: MailDeps, problem: Problem, actor?: string): Promise<Response> {
  await turnAway({ surface: SURFACE, code: problem.code, ...(actor !== undefined && { actor }) })
  return problemResponse(problem)
}

const NOT_SIGNED: Problem = {
  status: 401,
  code: 'signature_invalid',
  detail: 'The signature is missing, is older than five minutes, or fits none of the secrets here.',
}
const NOT_A_MAIL: Problem = {
  status: 400,
  code: 'not_a_mail',
  detail: 'The body is no mail: it must have `headers`, a list of [name, value], and `text`.',
}
const NOT_PROVEN: Problem = {
  status: 403,
  code: 'sender_not_proven',
  detail: 'The mail has not exactly one sender whose own domain signed it (DKIM). Nothing was recorded.',
}
const NOT_A_PERSON: Problem = {
  status: 403,
  code: 'sender_unknown',
  detail: 'Its sender is no person of this project. Nothing was recorded.',
}
const NOT_TO_US: Problem = {
  status: 403,
  code: 'mail_to_others',
  detail: 'The mail was not written to the address to which people reply here. Nothing was recorded.',
  hint: 'Pass on all headers of the mail, To and Cc too.',
}
const WRITTEN_BEFORE: Problem = {
  status: 403,
  code: 'mail_too_old',
  detail: 'The mail was written before the one that it answers. Nothing was recorded.',
}
const NO_MAIL: Problem = {
  status: 404,
  code: 'unknown_mail',
  detail: 'It answers no mail of this server that asks about one hold. Nothing was recorded.',
}
const SHOWN_IN_PART: Problem = {
  status: 409,
  code: 'shown_in_part',
  detail: 'The mail did not show all of the call, so a reply cannot approve it. Nothing was recorded.',
  hint: 'Follow the link in the mail, and decide there.',
}
const WORD_MISSING: Problem = {
  status: 409,
  code: 'word_missing',
  detail: 'The call is an override, and the reply does not name its thing. Nothing was recorded.',
}
