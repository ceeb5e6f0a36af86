/**
 * The page of a link: a look shows the hold and a form, and only the form decides.
 * L1  GET and HEAD change nothing and use nothing up: mail scanners and previews fetch links.
 * L2  The link names the decider. The form has a digest, so that nothing is approved that was not shown (P9).
 * L3  A link, dead or not, can be requested without end. Only the first times are on record.
 */
import { isOnRecord, type Receipt, receiptRefusal } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import { headline } from '../../core/hold-view/blocks/act-words.ts'
import { decisionText } from '../../core/hold-view/hold-words.ts'
import { html } from '../../core/text/html.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Audit } from '../../runtime/face/audit.ts'
import type { LinkDecision, Links, LinkTarget } from '../../runtime/face/links.ts'
import { isProblem, type Problem } from '../http/problem.ts'
import { readForm } from '../http/read-form.ts'
import type { Exchange, Protocol, Route, RouteOperation } from '../http/route.ts'
import { STATUS_OF } from '../http/status-of.ts'
import { approvalOf, decideForms, isConfirmed, isLinkVerdict } from './decide-forms.ts'
import { holdDetails, holdRequest } from './hold-card.ts'
import { pageResponse, STYLE, STYLE_PATH } from './page.ts'

export interface LinkDeps {
  readonly links: Links
  readonly audit: Pick<Audit, 'shown'>
}

/** Per link and process. */
const MOST_RECORDED = 20
const MAX_FORM_BYTES = 256 * 1024
const SURFACE = 'link'

interface Deps extends LinkDeps {
  /** L3. */
  readonly isRecorded: { readonly look: (token: string) => boolean; readonly form: (token: string) => boolean }
}

export function openLinks(given: LinkDeps): Protocol {
  const deps: Deps = { ...given, isRecorded: { look: firstOfEach(MOST_RECORDED), form: firstOfEach(MOST_RECORDED) } }
  const link = { path: '/l/:token', isPublic: 'knows', refuse: problemPage } as const
  return {
    routes: [
      { methods: ['GET', 'HEAD'], path: STYLE_PATH, isPublic: true, answer: async () => styleResponse() },
      {
        ...link,
        methods: ['GET', 'HEAD'],
        operations: { GET: LOOK },
        answer: exchange => shown(exchange, deps),
      },
      { ...link, methods: ['POST'], operations: { POST: DECIDE }, answer: exchange => decided(exchange, deps) },
    ] satisfies readonly Route[],
  }
}

const PAGES = { refusalType: 'text/html' } as const
const LOOK: RouteOperation = {
  ...PAGES,
  summary: 'The hold of a link in a message, with a form; it changes nothing',
  description: 'For browsers. The token of the link is the proof.',
  answers: { 200: { text: 'A page.', type: 'text/html' } },
}
const DECIDE: RouteOperation = {
  ...PAGES,
  summary: 'The form of that page: decides the hold in the name of the person to whom the link was sent',
  description: LOOK.description,
  body: { type: 'object', properties: { verdict: { type: 'string' } }, required: ['verdict'] },
  bodyType: 'application/x-www-form-urlencoded',
  answers: { 200: { text: 'A page that says what was recorded.', type: 'text/html' } },
}

async function shown(
  { request, params, url, caller }: Exchange,
  { links, audit, isRecorded }: Deps,
): Promise<Response> {
  const secret = params['token'] ?? ''
  const target = await links.look(secret, readerOf(caller))
  if (target.refusal) return refusalPage(target.refusal)
  const { hold, person } = target
  if (isForPerson(request) && isRecorded.look(secret))
    await audit.shown([hold.id], { to: person, surface: SURFACE, inFull: false })
  return pageResponse({
    above: `${visibleLine(hold.agent)} asks you, ${visibleLine(person)}`,
    title: hold.title,
    body: html`${holdRequest(hold)}
${decideForms(target, url.pathname)}
${holdDetails(hold)}
<p class="quiet">This link is yours alone: what you choose here is signed with your name. It counts once.</p>`,
  })
}

/** P10: browsers that fetch ahead show nothing to a person. */
function isForPerson({ method, headers }: Request): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose') ?? headers.get('x-moz') ?? ''
  return method === 'GET' && !/prefetch|preview|prerender/i.test(purpose)
}

async function decided(
  { request, params, url, caller }: Exchange,
  { links, audit, isRecorded }: Deps,
): Promise<Response> {
  const read = await readForm(request, MAX_FORM_BYTES)
  if (isProblem(read)) return problemPage(read)
  const secret = params['token'] ?? ''
  const said = decisionIn(read.fields)
  if (isProblem(said)) return problemPage(said, url)
  const reader = readerOf(caller)
  const target = await links.look(secret, reader)
  if (!isSure(target, said.verdict, read.fields.get('sure'))) return problemPage(NOT_SURE, url)
  const goesOnRecord = isRecorded.form(secret)
  if (target.refusal && !goesOnRecord) return refusalPage(target.refusal, url)
  // P10: the buttons are below the end of the request.
  if (target.refusal === null && goesOnRecord)
    await audit.shown([target.hold.id], { to: target.person, surface: SURFACE, inFull: true })
  return receiptPage(await links.decide(secret, said, reader), url)
}

/** An approval can also be written as an answer: "yes". */
function isSure(target: LinkTarget, verdict: LinkDecision['verdict'], given: string | null): boolean {
  if (target.refusal !== null) return true
  const approves = verdict === 'approve' || (verdict === 'respond' && target.hold.kind === 'approval')
  return !approves || isConfirmed(approvalOf(target), given)
}

function decisionIn(fields: URLSearchParams): LinkDecision | Problem {
  const verdict = fields.get('verdict') ?? ''
  if (!isLinkVerdict(verdict)) return NO_VERDICT
  const reason = fields.get('reason')?.trim()
  const digest = fields.get('digest')
  // Browsers end the lines of a form with CR LF.
  const text = (fields.get('value') ?? '').replaceAll('\r\n', '\n')
  return { verdict, ...(reason && { reason }), ...(digest && { digest }), ...(verdict === 'respond' && { text }) }
}

function receiptPage(receipt: Receipt, url: URL): Response {
  if (!isOnRecord(receipt)) return refusalPage(receiptRefusal(receipt), url)
  const { hold, decision } = receipt
  const { votes, deciders, status } = hold
  const more =
    status === 'open'
      ? `${votes.length} of ${deciders?.quorum ?? 1} approvals: it waits for others.`
      : 'You can close this page.'
  return pageResponse({
    title: 'Recorded',
    body: html`<p>${headline(hold)}: ${decisionText(decision)}.</p><p>${more}</p>`,
  })
}

function refusalPage({ code, message, hint }: RefusedError, url?: URL): Response {
  return problemPage({ status: STATUS_OF[code], code, detail: message, hint }, url)
}

/** The link leads back to the hold, if there is still something to see. */
function problemPage({ status, detail, hint, headers, code }: Problem, url?: URL): Response {
  return pageResponse({
    status,
    title: TITLES[status] ?? 'Nothing was recorded',
    ...(headers && { headers }),
    body: html`<p>${visibleLine(detail)}</p>
${hint ? html`<p>${visibleLine(hint)}</p>` : null}
${url ? html`<p><a href="${url.pathname}">Look at it again</a></p>` : null}
<p class="quiet">${code}</p>`,
  })
}

const TITLES: Readonly<Record<number, string>> = {
  404: 'There is no such link',
  409: 'Somebody was first',
  410: 'This link is over',
}

function styleResponse(): Response {
  const headers = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=3600' }
  return new Response(STYLE, { headers: { ...headers, 'x-content-type-options': 'nosniff' } })
}

/** A link that was passed on: its new reader may be signed in. */
function readerOf({ name }: Exchange['caller']): string | null {
  return name === '' ? null : name
}

const NO_VERDICT: Problem = {
  status: 422,
  code: 'invalid_decision',
  detail: 'The form does not say what is decided. Nothing was recorded.',
}

const NOT_SURE: Problem = {
  status: 422,
  code: 'not_confirmed',
  detail: 'This approval needs the tick beside its button, or the word that the page asks for. Nothing was recorded.',
}

/** Keys beyond it are forgotten, all at once: each may then come as often again. */
const MOST_KEYS = 10_000

/** True for the first `most` times that a key is used: so a client cannot fill the log with one request. */
function firstOfEach(most: number): (key: string) => boolean {
  const times = new Map<string, number>()
  return key => {
    const count = (times.get(key) ?? 0) + 1
    if (times.size >= MOST_KEYS) times.clear()
    times.set(key, count)
    return count <= most
  }
}
