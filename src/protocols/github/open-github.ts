/**
 * `POST /github/webhook`: comments such as `/approve hold_…` on issues and pull requests.
 * G1  Nothing is read before the signature of the webhook is checked over the body as it came.
 * G2  The login that wrote the comment signs, if the project knows a person by it.
 * G3  A comment counts once, however often GitHub delivers it: its decision id is made of the comment.
 * G4  The decision is on record before GitHub gets its answer. Replies to the author hold up no answer.
 * G5  A hold of which a comment shows a part alone is approved elsewhere (P9).
 */
import { type Receipt, receiptRefusal } from '../../core/deciding/receipt.ts'
import { inlineCode } from '../../core/notice/markdown-code.ts'
import { fitsComment } from '../../core/notice/message-extent.ts'
import { isSigned } from '../http/deliveries/is-signed.ts'
import { type RecordRefusal, refusalRecord } from '../http/deliveries/refusal-record.ts'
import { isProblem, type Problem, problemResponse } from '../http/problem.ts'
import { isJson, NO_JSON_TYPE, parseJson, readBody } from '../http/read-json.ts'
import type { Exchange, Protocol, RouteOperation } from '../http/route.ts'
import { type CommentCommand, readCommands } from './comment-commands.ts'
import { type GitHubSite, SURFACE } from './github-site.ts'
import { type IssueComment, readIssueComment } from './issue-comment.ts'

/** The text of the issue comes with each comment on it. */
const MAX_BODY_BYTES = 1024 * 1024
/** GitHub keeps a delivery for three days. An older one was recorded, and is played again. */
const OLDEST_MS = 3 * 24 * 60 * 60 * 1000

interface Site extends GitHubSite {
  readonly record: RecordRefusal
  /** Comments whose authors were told why they did not count: a delivery that is repeated does not tell them again. */
  readonly told: Set<number>
}

const MOST_TOLD = 1_000

export function openGitHub(given: GitHubSite): Protocol {
  const record = refusalRecord({ audit: given.holdpoint.audit, now: given.now })
  const site = { ...given, record, told: new Set<number>() }
  const answer = async ({ request }: Exchange) => {
    const comment = await readSigned(site, request)
    if (comment !== null && isProblem(comment)) return problemResponse(comment)
    const problem = comment === null ? null : await taken(site, comment)
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
async function readSigned(site: Site, request: Request): Promise<IssueComment | Problem | null> {
  if (!isJson(request)) return NO_JSON_TYPE
  const body = await readBody(request, MAX_BODY_BYTES)
  if (isProblem(body)) return body
  const { headers } = request
  const signature = /^sha256=([0-9a-f]{64})$/.exec(headers.get('x-hub-signature-256') ?? '')?.[1] ?? ''
  if (!isSigned(site.secrets, [body.bytes], Buffer.from(signature, 'hex')))
    return turnedAway(site, {
      ...NOT_SIGNED,
      code: headers.has('x-hub-signature-256') ? NOT_SIGNED.code : 'signature_missing',
    })
  const read = parseJson(body.bytes)
  if (isProblem(read)) return read
  const comment = readIssueComment(headers.get('x-github-event'), read.json)
  if (comment === null) return null
  return site.now() - comment.at > OLDEST_MS ? turnedAway(site, TOO_OLD, comment) : comment
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

async function taken(site: Site, comment: IssueComment): Promise<Problem | null> {
  const commands = readCommands(comment.body)
  if (commands === null) return null
  const { repository } = comment.place
  if (!site.repositories.some(each => isSame(each, repository))) return turnedAway(site, OTHER_REPOSITORY, comment)
  const person = site.personOf(comment.login)
  if (person === null) return stranger(site, comment)
  if (commands === 'unclear') return tell(site, comment, [UNCLEAR])
  const refusals: string[] = []
  for (const command of commands) {
    const refusal = await decide(site, { comment, command, person })
    // Names and choices within are words of others.
    if (refusal !== null) refusals.push(inlineCode(refusal.slice(0, LONGEST_REFUSAL)))
  }
  return tell(site, comment, refusals)
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
async function stranger(site: Site, comment: IssueComment): Promise<Problem> {
  aside(site, site.replies.react(comment.place, 'confused'))
  return turnedAway(site, UNKNOWN_PERSON, comment)
}

interface Command {
  readonly comment: IssueComment
  readonly command: CommentCommand
  readonly person: string
}

/** `null` if the decision is on record; else why it is not. */
async function decide(site: Site, { comment, command, person }: Command): Promise<string | null> {
  const { holdpoint } = site
  const { hold_id, verdict, text } = command
  if (await isShownInPart(site, command)) return shownInPart(site, { hold_id, person })
  const { repository, comment: id } = comment.place
  const signed = { decided_by: person, surface: SURFACE, decision_id: `${SURFACE}:${repository}:${id}:${hold_id}` }
  if (verdict === 'answer') return wordsOf(await holdpoint.answer(hold_id, { text, ...signed }))
  const reason = text === '' ? null : text
  return wordsOf(await holdpoint.decide(hold_id, { verdict, reason, ...signed }))
}

function wordsOf(receipt: Receipt): string | null {
  return receiptRefusal(receipt)?.message ?? null
}

/** G5. An answer to an approval may be a yes. */
async function isShownInPart({ holdpoint }: Site, { hold_id, verdict }: CommentCommand): Promise<boolean> {
  const hold = await holdpoint.hold(hold_id)
  const mayApprove = verdict === 'approve' || (verdict === 'answer' && hold?.kind === 'approval')
  return mayApprove && hold?.status === 'open' && !fitsComment(hold)
}

async function shownInPart(
  { record }: Site,
  { hold_id, person }: { readonly hold_id: string; readonly person: string },
): Promise<string> {
  await record({ surface: SURFACE, code: 'shown_in_part', actor: person })
  return `A comment has no room for all of ${hold_id}, so no comment approves it. See all of it with holdpoint show, or on the page.`
}

/** G4. The delivery was fine for GitHub, even if the decision was refused: the author is told under the comment. */
function tell(site: Site, { place, login }: IssueComment, refusals: readonly string[]): null {
  aside(site, site.replies.react(place, refusals.length === 0 ? '+1' : 'confused'))
  if (refusals.length === 0 || site.told.has(place.comment)) return null
  if (site.told.size >= MOST_TOLD) site.told.clear()
  site.told.add(place.comment)
  aside(site, site.replies.say(place, `@${login}: ${refusals.join('\n\n')}`))
  return null
}

function aside({ onError }: Site, work: Promise<void>): void {
  work.catch((thrown: unknown) => onError(thrown instanceof Error ? thrown : new TypeError(String(thrown))))
}

async function turnedAway({ record }: Site, problem: Problem, comment?: IssueComment): Promise<Problem> {
  const { code } = problem
  await record({ surface: SURFACE, code, ...(comment && { actor: `github:${comment.login}` }) })
  return problem
}
