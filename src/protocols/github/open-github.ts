/**
 * `POST /github/webhook`: comments such as `/approve hold_…` on issues and pull requests.
 * G1  Nothing is read before the signature of the webhook is checked over the body as it came.
 * G2  The login that wrote the comment signs, if the project knows a person by it.
 * G3  A comment counts once, however often GitHub delivers it: its decision id is made of the comment.
 * G4  The decision is on record before GitHub gets its answer. Replies to the author hold up no answer.
 * G5  A hold of which a comment shows a part alone is approved elsewhere (P9).
 */
import { type Receipt, receiptRefusal } from '../../core/deciding/receipt.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { inlineCode } from '../../core/notice/markdown-code.ts'
import { fitsComment } from '../../core/notice/message-extent.ts'
import { missingWord, typedOf } from '../../core/notice/notice-offers.ts'
import { isSigned } from '../http/deliveries/is-signed.ts'
import { type RecordRefusal, refusalRecord } from '../http/deliveries/refusal-record.ts'
import { isProblem, type Problem, problemResponse } from '../http/problem.ts'
import { isJson, NO_JSON_TYPE, parseJson, readBody } from '../http/read-json.ts'
import type { Exchange, Protocol, RouteOperation } from '../http/route.ts'
import { type GitHubDeps, SURFACE } from './github-deps.ts'
import { type CommentCommand, type IssueComment, readCommands, readIssueComment } from './issue-comment.ts'

/** GitHub sends the text of the issue with each comment on it. */
const MAX_BODY_BYTES = 1024 * 1024
/** GitHub keeps a delivery for three days. An older one was recorded, and is played again. */
const OLDEST_MS = 3 * 24 * 60 * 60 * 1000

interface Deps extends GitHubDeps {
  readonly record: RecordRefusal
  /** Comments whose authors already know why they did not count: a repeated delivery does not reply again. */
  readonly told: Set<number>
}

const MOST_TOLD = 1_000

export function openGitHub(given: GitHubDeps): Protocol {
  const record = refusalRecord({ audit: given.holdpoint.audit, now: given.now })
  const deps = { ...given, record, told: new Set<number>() }
  const answer = async ({ request }: Exchange) => {
    const comment = await readSigned(deps, request)
    if (comment !== null && isProblem(comment)) return problemResponse(comment)
    const problem = comment === null ? null : await taken(deps, comment)
    return problem === null ? new Response(null, { status: 204 }) : problemResponse(problem)
  }
  const operations = { POST: DELIVER }
  return { routes: [{ methods: ['POST'], path: '/github/webhook', isPublic: true, operations, answer }] }
}

const DELIVER: RouteOperation = {
  summary: 'A comment on an issue or a pull request',
  description: 'For GitHub alone: `X-Hub-Signature-256` with the secret of the webhook.',
  body: { type: 'object', description: 'An `issue_comment` event.' },
  answers: { 204: { text: 'It was taken in.' } },
  refusalType: 'application/problem+json',
}

/** G1. `null` if it is nothing that could decide. */
async function readSigned(deps: Deps, request: Request): Promise<IssueComment | Problem | null> {
  if (!isJson(request)) return NO_JSON_TYPE
  const body = await readBody(request, MAX_BODY_BYTES)
  if (isProblem(body)) return body
  const { headers } = request
  const signature = /^sha256=([0-9a-f]{64})$/.exec(headers.get('x-hub-signature-256') ?? '')?.[1] ?? ''
  if (!isSigned(deps.secrets, [body.bytes], Buffer.from(signature, 'hex')))
    return turnedAway(deps, {
      ...NOT_SIGNED,
      code: headers.has('x-hub-signature-256') ? NOT_SIGNED.code : 'signature_missing',
    })
  const read = parseJson(body.bytes)
  if (isProblem(read)) return read
  const comment = readIssueComment(headers.get('x-github-event'), read.json)
  if (comment === null) return null
  return deps.now() - comment.at > OLDEST_MS ? turnedAway(deps, TOO_OLD, comment) : comment
}

const NOT_SIGNED: Problem = {
  status: 401,
  code: 'invalid_signature',
  detail: 'X-Hub-Signature-256 is not that of the secret of this webhook.',
}

const TOO_OLD: Problem = {
  status: 401,
  code: 'signature_too_old',
  detail: 'The comment is more than three days old.',
}

async function taken(deps: Deps, comment: IssueComment): Promise<Problem | null> {
  const commands = readCommands(comment.body)
  if (commands === null) return null
  const { repository } = comment.place
  if (!deps.repositories.some(each => isSame(each, repository))) return turnedAway(deps, OTHER_REPOSITORY, comment)
  const person = deps.personOf(comment.login)
  if (person === null) return stranger(deps, comment)
  if (commands === 'unclear') return tell(deps, comment, [UNCLEAR])
  const refusals: string[] = []
  for (const command of commands) {
    const refusal = await decide(deps, { comment, command, person })
    // Names and choices within are words of others.
    if (refusal !== null) refusals.push(inlineCode(refusal.slice(0, LONGEST_REFUSAL)))
  }
  return tell(deps, comment, refusals)
}

/** Characters. It may quote the comment, and comments have a limit. */
const LONGEST_REFUSAL = 1_000

/** GitHub's names have no two spellings that differ in case alone. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

const UNCLEAR =
  'This was not understood, and nothing was recorded. Write `/approve HOLD` alone on its line, `/deny HOLD WHY`, or `/answer HOLD TEXT`.'

const OTHER_REPOSITORY: Problem = {
  status: 403,
  code: 'other_repository',
  detail: 'Comments in this repository decide nothing here.',
}

const UNKNOWN_PERSON: Problem = {
  status: 403,
  code: 'unknown_person',
  detail: 'This project knows no person by the login of this comment.',
}

/** A stranger gets no comment: else strangers could make this server write as many as they like. */
async function stranger(deps: Deps, comment: IssueComment): Promise<Problem> {
  aside(deps, deps.replies.react(comment.place, 'confused'))
  return turnedAway(deps, UNKNOWN_PERSON, comment)
}

interface Command {
  readonly comment: IssueComment
  readonly command: CommentCommand
  readonly person: string
}

/** `null` if the decision is on record; else why it is not. */
async function decide(deps: Deps, { comment, command, person }: Command): Promise<string | null> {
  const { holdpoint } = deps
  const { hold_id, verdict, text } = command
  const objection = await objectionTo(deps, { command, person })
  if (objection !== null) return objection
  const { repository, comment: id } = comment.place
  const signed = { decided_by: person, surface: SURFACE, decision_id: `${SURFACE}:${repository}:${id}:${hold_id}` }
  if (verdict === 'answer') return wordsOf(await holdpoint.answer(hold_id, { text, ...signed }))
  const reason = verdict === 'approve' || text === '' ? null : text
  return wordsOf(await holdpoint.decide(hold_id, { verdict, reason, ...signed }))
}

/** Why this comment releases nothing, before anybody else is asked; `null` if nothing speaks against it. */
async function objectionTo(deps: Deps, { command, person }: Omit<Command, 'comment'>): Promise<string | null> {
  const { hold_id, verdict, text } = command
  const hold = await deps.holdpoint.hold(hold_id)
  if (hold === null || !mayApprove(command, hold)) return null
  if (!fitsComment(hold)) return shownInPart(deps, { hold_id, person })
  const word = verdict === 'approve' ? text : ''
  return word !== '' && typedOf(hold) === null ? UNCLEAR : missingWord(hold, word)
}

function wordsOf(receipt: Receipt): string | null {
  return receiptRefusal(receipt)?.message ?? null
}

/** G5. An answer to an approval may be a yes. */
function mayApprove({ verdict }: CommentCommand, { kind, status }: Hold): boolean {
  return status === 'open' && (verdict === 'approve' || (verdict === 'answer' && kind === 'approval'))
}

async function shownInPart(
  { record }: Deps,
  { hold_id, person }: { readonly hold_id: string; readonly person: string },
): Promise<string> {
  await record({ surface: SURFACE, code: 'shown_in_part', actor: person })
  return `A comment has no room for all of ${hold_id}, so no comment approves it. See all of it with holdpoint show, or on the page.`
}

/**
 * G4. The delivery was fine for GitHub, even if the decision was refused: the author gets a reply under the comment.
 */
function tell(deps: Deps, { place, login }: IssueComment, refusals: readonly string[]): null {
  aside(deps, deps.replies.react(place, refusals.length === 0 ? '+1' : 'confused'))
  if (refusals.length === 0 || deps.told.has(place.comment)) return null
  if (deps.told.size >= MOST_TOLD) deps.told.clear()
  deps.told.add(place.comment)
  aside(deps, deps.replies.say(place, `@${login}: ${refusals.join('\n\n')}`))
  return null
}

function aside({ onError }: Deps, work: Promise<void>): void {
  work.catch((thrown: unknown) => onError(thrown instanceof Error ? thrown : new TypeError(String(thrown))))
}

async function turnedAway({ record }: Deps, problem: Problem, comment?: IssueComment): Promise<Problem> {
  const { code } = problem
  await record({ surface: SURFACE, code, ...(comment && { actor: `github:${comment.login}` }) })
  return problem
}
