import { actionOf, type ButtonAction, type ButtonValue, readButton } from '../../core/notice/notice-button.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../../core/text/json.ts'
import type { Clicked } from './slack-deps.ts'

/** The person who clicked or submitted, as Slack proves them. */
export interface Sender extends Clicked {
  /** The workspace of the person. */
  readonly team: string
  /** The one click: the same, however often Slack sends it. */
  readonly triggerId: string
}

interface Pressed {
  readonly value: ButtonValue
  readonly by: Sender
}

export interface Click extends Pressed {
  readonly kind: 'click'
  readonly action: ButtonAction
}

export interface Submission extends Pressed {
  readonly kind: 'submission'
  readonly action: 'approve' | 'reject' | 'answer'
  readonly text: string
}

/** `other`: this app did not ask for it, or it needs no answer, such as a click on a link. */
export type Interaction = Click | Submission | { readonly kind: 'other' }

/** The block of a modal that has the text, and the field in it. */
export const SAID = 'said'

const OTHER: Interaction = { kind: 'other' }

/** The interaction in a signed body; `null` if the body is no form of Slack. */
export function readInteraction(body: string): Interaction | null {
  const payload = parsed(new URLSearchParams(body).get('payload') ?? '')
  if (payload === null) return null
  if (payload['type'] === 'block_actions') return readClick(payload)
  if (payload['type'] === 'view_submission') return readSubmission(payload)
  return OTHER
}

function readClick(payload: JsonObject): Interaction | null {
  const { actions } = payload
  const [button] = Array.isArray(actions) ? actions : []
  if (!isJsonObject(button)) return null
  const action = actionOf(text(button, 'action_id') ?? '')
  if (action === null) return OTHER
  const pressed = readPressed(payload, text(button, 'value'))
  return pressed && { kind: 'click', action, ...pressed }
}

function readSubmission(payload: JsonObject): Interaction | null {
  const view = within(payload, 'view')
  const action = actionOf(text(view, 'callback_id') ?? '')
  if (action === null || action === 'choose') return OTHER
  const pressed = readPressed(payload, text(view, 'private_metadata'))
  const said = text(within(view, 'state', 'values', SAID, SAID), 'value') ?? ''
  return pressed && { kind: 'submission', action, ...pressed, text: said.trim() }
}

function readPressed(payload: JsonObject, written: string | null): Pressed | null {
  const [by, value] = [readSender(payload), readButton(written ?? '')]
  return by && value && { by, value }
}

function readSender(payload: JsonObject): Sender | null {
  const user = within(payload, 'user')
  const userId = text(user, 'id')
  const team = text(user, 'team_id') ?? text(within(payload, 'team'), 'id')
  const triggerId = text(payload, 'trigger_id')
  if (userId === null || team === null || triggerId === null) return null
  const channel = text(within(payload, 'container'), 'channel_id') ?? text(within(payload, 'channel'), 'id')
  return { userId, team, triggerId, channel, responseUrl: text(payload, 'response_url') }
}

function parsed(json: string): JsonObject | null {
  try {
    const value = JSON.parse(json) as Json
    return isJsonObject(value) && !isTooDeep(value) ? value : null
  } catch {
    return null
  }
}

function within(from: JsonObject, ...path: readonly string[]): JsonObject {
  return path.reduce<JsonObject>((at, key) => {
    const inner = at[key]
    return isJsonObject(inner) ? inner : {}
  }, from)
}

function text(from: JsonObject, key: string): string | null {
  const value = from[key]
  return typeof value === 'string' ? value : null
}
