/**
 * `POST /slack/interactions`: clicks on the buttons of messages, and modals that were filled in.
 * I1  Nothing is read before the signature of the app is checked over the body as received.
 * I2  The Slack user id signs, if the project knows a person by it in its own workspace. Names in the body count for
 *     nothing.
 * I3  The decision is on record before Slack gets its answer. Replies to the person delay no answer.
 * I4  A request that cannot be believed, or is from a stranger, changes nothing and is on record.
 */
import { type Hold, riskOf } from '../../core/hold/hold.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { isSigned } from '../http/deliveries/is-signed.ts'
import { type RecordRefusal, refusalRecord } from '../http/deliveries/refusal-record.ts'
import { isProblem, type Problem, problemResponse } from '../http/problem.ts'
import { readBody } from '../http/read-json.ts'
import type { Exchange, Protocol, RouteOperation } from '../http/route.ts'
import { type AskingAction, askingView, tellingView } from './asking-view.ts'
import { decideClick, decideSubmission, refusalText } from './decide-click.ts'
import { type Click, type Interaction, readInteraction, type Sender, type Submission } from './interaction.ts'
import { type SlackDeps, SURFACE } from './slack-deps.ts'

const MAX_BODY_BYTES = 256 * 1024

interface Deps extends SlackDeps {
  readonly record: RecordRefusal
}

export function openSlack(given: SlackDeps): Protocol {
  const { audit } = given.holdpoint
  const deps = { ...given, record: refusalRecord({ audit, now: given.now }) }
  const answer = async ({ request }: Exchange) => {
    const interaction = await readSigned(deps, request)
    return isProblem(interaction) ? problemResponse(interaction) : taken(deps, interaction)
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
async function readSigned(deps: Deps, request: Request): Promise<Interaction | Problem> {
  const { signingSecrets: secrets, now, record } = deps
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

async function taken(deps: Deps, interaction: Interaction): Promise<Response> {
  if (interaction.kind === 'other') return DONE()
  const person = await personBehind(deps, interaction.by)
  if (person === null) return strange(deps, interaction)
  return interaction.kind === 'click'
    ? clicked(deps, interaction, person)
    : submitted(await decideSubmission(deps.holdpoint, interaction, person))
}

/** Slack shows an error to the person for any other answer. */
const DONE = () => new Response(null, { status: 200 })

/** I2. */
async function personBehind({ personOf, team }: Deps, by: Sender): Promise<string | null> {
  return by.team === (await team()) ? personOf(by.userId) : null
}

async function strange(deps: Deps, { kind, by }: Click | Submission): Promise<Response> {
  await deps.record({ surface: SURFACE, code: 'unknown_person', actor: `slack:${by.team}/${by.userId}` })
  if (kind === 'submission') return viewAnswer(tellingView(STRANGER))
  whisper(deps, by, STRANGER)
  return DONE()
}

const STRANGER =
  'Nothing was recorded: this project knows no person by your Slack account. Its configuration names people, with their Slack ids.'

async function clicked(deps: Deps, click: Click, person: string): Promise<Response> {
  const hold = await deps.holdpoint.hold(click.value.hold_id)
  if (hold?.status === 'open' && asksFirst(click.action, hold)) return asks(deps, click, { hold, action: click.action })
  const refusal = await decideClick(deps.holdpoint, click, { person, hold })
  if (refusal) whisper(deps, click.by, refusalText(refusal))
  return DONE()
}

/** An override asks for a word, whichever button was pressed: the message may be older than the risk. */
function asksFirst(action: Click['action'], hold: Hold): action is AskingAction {
  return action === 'reject' || action === 'answer' || (action === 'approve' && riskOf(hold) === 'override')
}

/** The modal must open within the seconds that Slack gives, so it is waited for. */
async function asks(
  deps: Deps,
  { value, by }: Click,
  { hold, action }: { readonly hold: Hold; readonly action: AskingAction },
): Promise<Response> {
  try {
    await deps.replies.openView(by.triggerId, askingView(action, hold, value))
  } catch (thrown) {
    deps.onError(errorOf(thrown))
    whisper(deps, by, 'Slack did not open the window for your words in time. Nothing was recorded: press again.')
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
function whisper({ replies, onError }: Deps, by: Sender, text: string): void {
  replies.whisper(by, text).catch((thrown: unknown) => onError(errorOf(thrown)))
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new TypeError(String(thrown))
}

/** Slack's own limit: an older request may be one that was recorded and is played again. */
const OLDEST_SECONDS = 5 * 60
const VERSION = 'v0'

/**
 * Why a request is not believed to be from Slack; `null` if one of the secrets signed this very body, within five minutes.
 * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
function objectionToSignature(
  { headers }: Pick<Request, 'headers'>,
  body: Uint8Array,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: number },
): 'signature_missing' | 'signature_too_old' | 'invalid_signature' | null {
  const [time, signature] = [headers.get('x-slack-request-timestamp'), headers.get('x-slack-signature')]
  if (time === null || signature === null) return 'signature_missing'
  const hex = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1]
  if (hex === undefined || !/^\d{1,12}$/.test(time)) return 'invalid_signature'
  if (!isSigned(secrets, [`${VERSION}:${time}:`, body], Buffer.from(hex, 'hex'))) return 'invalid_signature'
  return Math.abs(now / 1000 - Number(time)) > OLDEST_SECONDS ? 'signature_too_old' : null
}
