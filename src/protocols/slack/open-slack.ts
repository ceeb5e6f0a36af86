/**
 * `POST /slack/interactions`: clicks on the buttons of messages, and modals that were filled in.
 * I1  Nothing is read before the signature of the app is checked over the body as it came.
 * I2  The Slack user id signs, if the project knows a person by it in its own workspace. Names in the body count for
 *     nothing.
 * I3  The decision is on record before Slack gets its answer. Replies to the person hold up no answer.
 * I4  A request that cannot be believed, or comes from a stranger, changes nothing and is on record.
 */
import type { Hold } from '../../core/hold/hold.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { type RecordRefusal, refusalRecord } from '../http/deliveries/refusal-record.ts'
import { isProblem, type Problem, problemResponse } from '../http/problem.ts'
import { readBody } from '../http/read-json.ts'
import type { Exchange, Protocol, RouteOperation } from '../http/route.ts'
import { decideClick, decideSubmission, refusalText } from './decide-click.ts'
import { type Click, type Interaction, readInteraction, type Sender, type Submission } from './interaction.ts'
import { objectionToSignature } from './slack-signature.ts'
import { type SlackSite, SURFACE } from './slack-site.ts'
import { askingView, tellingView } from './views.ts'

const MAX_BODY_BYTES = 256 * 1024

interface Site extends SlackSite {
  readonly record: RecordRefusal
}

export function openSlack(given: SlackSite): Protocol {
  const { audit } = given.holdpoint
  const site = { ...given, record: refusalRecord({ audit, now: given.now }) }
  const answer = async ({ request }: Exchange) => {
    const interaction = await readSigned(site, request)
    return isProblem(interaction) ? problemResponse(interaction) : taken(site, interaction)
  }
  const operations = { POST: INTERACT }
  return { routes: [{ methods: ['POST'], path: '/slack/interactions', isPublic: true, operations, answer }] }
}

const INTERACT: RouteOperation = {
  summary: 'A click on a message in Slack, or a modal that was filled in',
  description: 'For Slack alone: `X-Slack-Signature` with the signing secret of the app.',
  body: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
  bodyType: 'application/x-www-form-urlencoded',
  answers: { 200: { text: 'It was taken in.' } },
  refusalType: 'application/problem+json',
}

/** I1. */
async function readSigned(site: Site, request: Request): Promise<Interaction | Problem> {
  const { signingSecrets: secrets, now, record } = site
  const body = await readBody(request, MAX_BODY_BYTES)
  if (isProblem(body)) return body
  const code = objectionToSignature(request, body.bytes, { secrets, now: now() })
  if (code !== null) {
    await record({ surface: SURFACE, code })
    return { status: 401, code, detail: DETAILS[code] }
  }
  return readInteraction(new TextDecoder().decode(body.bytes)) ?? NOT_READABLE
}

const DETAILS = {
  signature_missing: 'Every request of Slack has X-Slack-Request-Timestamp and X-Slack-Signature.',
  signature_too_old: 'This request was signed more than five minutes ago.',
  invalid_signature: 'This request was not signed with the signing secret of the app.',
}

const NOT_READABLE: Problem = {
  status: 400,
  code: 'invalid_interaction',
  detail: 'The body is no form with a `payload` as Slack sends it.',
}

async function taken(site: Site, interaction: Interaction): Promise<Response> {
  if (interaction.kind === 'other') return DONE()
  const person = await personBehind(site, interaction.by)
  if (person === null) return strange(site, interaction)
  return interaction.kind === 'click'
    ? clicked(site, interaction, person)
    : submitted(await decideSubmission(site.holdpoint, interaction, person))
}

/** Slack shows an error to the person for any other answer. */
const DONE = () => new Response(null, { status: 200 })

/** I2. */
async function personBehind({ personOf, team }: Site, by: Sender): Promise<string | null> {
  return by.team === (await team()) ? personOf(by.userId) : null
}

async function strange(site: Site, { kind, by }: Click | Submission): Promise<Response> {
  await site.record({ surface: SURFACE, code: 'unknown_person', actor: `slack:${by.team}/${by.userId}` })
  if (kind === 'submission') return viewAnswer(tellingView(STRANGER))
  whisper(site, by, STRANGER)
  return DONE()
}

const STRANGER =
  'Nothing was recorded: this project knows no person by your Slack account. Its configuration names people, with their Slack ids.'

async function clicked(site: Site, click: Click, person: string): Promise<Response> {
  const hold = await site.holdpoint.hold(click.value.hold_id)
  if (hold?.status === 'open' && asksFirst(click.action)) return asks(site, click, { hold, action: click.action })
  const refusal = await decideClick(site.holdpoint, click, { person, hold })
  if (refusal) whisper(site, click.by, refusalText(refusal))
  return DONE()
}

function asksFirst(action: Click['action']): action is 'reject' | 'answer' {
  return action === 'reject' || action === 'answer'
}

/** The modal must open within the seconds that Slack gives, so it is waited for. */
async function asks(
  site: Site,
  { value, by }: Click,
  { hold, action }: { readonly hold: Hold; readonly action: 'reject' | 'answer' },
): Promise<Response> {
  try {
    await site.replies.openView(by.triggerId, askingView(action, hold, value))
  } catch (thrown) {
    site.onError(errorOf(thrown))
    whisper(site, by, 'Slack did not open the window for your words in time. Nothing was recorded: press again.')
  }
  return DONE()
}

function submitted(refusal: Parameters<typeof refusalText>[0] | null): Response {
  return refusal === null ? DONE() : viewAnswer(tellingView(refusalText(refusal)))
}

function viewAnswer(view: JsonObject): Response {
  return Response.json({ response_action: 'update', view })
}

/** I3. */
function whisper({ replies, onError }: Site, by: Sender, text: string): void {
  replies.whisper(by, text).catch((thrown: unknown) => onError(errorOf(thrown)))
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new TypeError(String(thrown))
}
