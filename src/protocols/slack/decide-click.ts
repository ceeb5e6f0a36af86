/**
 * A click becomes a decision, signed with the name of the person whom Slack proves.
 * C1  A click counts once, however often Slack sends it: its decision id is made of the click.
 * C2  A message that shows another digest or level than the hold has now decides nothing. The outbox brings it up to date.
 */
import { createHash } from 'node:crypto'
import { receiptRefusal } from '../../core/deciding/receipt.ts'
import { type HoldpointError, RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { thingNamed } from '../../core/hold-view/blocks/act-words.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Click, Sender, Submission } from './interaction.ts'
import { type SlackDeps, SURFACE } from './slack-deps.ts'

type Face = SlackDeps['holdpoint']
type Said = Omit<DecisionInput, 'hold_id' | 'decided_by' | 'surface' | 'decision_id' | 'digest'>

/** `null` if the decision is on record; else why it is not. */
export async function decideClick(
  holdpoint: Face,
  click: Click,
  { person, hold }: Omit<Deciding, 'pressed'>,
): Promise<RefusedError | null> {
  return decide(holdpoint, { pressed: click, person, hold }, SAID[click.action](hold, click))
}

/**
 * The actions that ask for words first get here only for a click on a closed hold, and the refusal explains how it was
 * closed.
 */
const SAID: Record<Click['action'], (hold: Hold | null, click: Click) => Said> = {
  approve: () => ({ verdict: 'approve' }),
  choose: chosen,
  reject: () => ({ verdict: 'reject' }),
  answer: () => ({ verdict: 'reject' }),
}

export async function decideSubmission(
  holdpoint: Face,
  submission: Submission,
  person: string,
): Promise<RefusedError | null> {
  const { action, value, text, by } = submission
  const hold = await holdpoint.hold(value.hold_id)
  if (action === 'reject')
    return decide(
      holdpoint,
      { pressed: submission, person, hold },
      { verdict: 'reject', reason: text === '' ? null : text },
    )
  if (action === 'approve') {
    if (hold && !isTyped(hold, text)) return notTyped(thingNamed(hold))
    return decide(holdpoint, { pressed: submission, person, hold }, { verdict: 'approve' })
  }
  const stale = isStale(hold, submission) ? changedSince(value.hold_id) : null
  if (stale) return stale
  const signed = { decided_by: person, surface: SURFACE, decision_id: keyOf(by, action), digest: value.digest }
  return receiptRefusal(await holdpoint.answer(value.hold_id, { text, ...signed }))
}

function isTyped(hold: Hold, text: string): boolean {
  return text.toLowerCase() === thingNamed(hold).toLowerCase()
}

function notTyped(thing: string): RefusedError {
  return new RefusedError('invalid_decision', `An approval of this needs the word ${visibleLine(thing)}.`, {
    hint: 'Nothing was recorded. Press Approve again, and type it.',
  })
}

interface Deciding {
  readonly pressed: Click | Submission
  readonly person: string
  readonly hold: Hold | null
}

async function decide(holdpoint: Face, { pressed, person, hold }: Deciding, said: Said): Promise<RefusedError | null> {
  const { value, by, action } = pressed
  if (isStale(hold, pressed)) return changedSince(value.hold_id)
  const signed = { decided_by: person, surface: SURFACE, decision_id: keyOf(by, action), digest: value.digest }
  return receiptRefusal(await holdpoint.decide(value.hold_id, { ...said, ...signed }))
}

/** A number that is no choice becomes a value that no hold accepts, so it is refused like any other value. */
function chosen(hold: Hold | null, { value: { choice } }: Click): Said {
  return { verdict: 'respond', value: hold?.choices?.[choice ?? -1] ?? '' }
}

/** C2. The receipt of a closed hold explains the refusal better. */
function isStale(hold: Hold | null, { value }: Pick<Click, 'value'>): boolean {
  return hold?.status === 'open' && (hold.level !== value.level || hold.digest !== value.digest)
}

function changedSince(holdId: string): RefusedError {
  return new RefusedError(
    'digest_mismatch',
    `${holdId} changed since this message was sent, so nothing was recorded.`,
    {
      hint: 'Look at the message as it is now, then decide.',
    },
  )
}

/** C1. */
function keyOf({ triggerId, userId }: Sender, action: string): string {
  return `${SURFACE}:${createHash('sha256')
    .update(JSON.stringify([triggerId, userId, action]))
    .digest('hex')}`
}

/** The refusal, and what to do about it. */
export function refusalText({ message, hint }: HoldpointError): string {
  return hint === null ? message : `${message} ${hint}`
}
