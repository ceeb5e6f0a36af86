/** Keeps P9 for a tool's own questions: its next run is given what people were shown, and may confirm it. */

import type { Decision } from '../../core/hold/decision.ts'
import type { Hold, ResumeMode } from '../../core/hold/hold.ts'
import { shownBasis } from '../../core/hold/hold-digests.ts'
import type { HoldState } from '../../core/journal/thread.ts'
import type { Deciders } from '../../core/people/deciders.ts'
import { plain } from '../../core/plain/plain.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { differences } from '../../core/text/differences.ts'
import { canonicalJson, type Json } from '../../core/text/json.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { Ids } from '../../ports/ids.ts'
import type { GateSession } from './gate-session.ts'

/** A tool's own hold, as its next run receives it. */
export interface SuspendedBefore {
  readonly hold: HoldState
  readonly decision: Decision
  /** `null` if the row is gone. */
  readonly asked: Hold | null
}

/** A request, and the deciders of the hold before, if it names none. */
export interface AskedAnew {
  readonly request: SuspendRequest
  readonly lastDeciders: Deciders | null
}

const PASSED: readonly ResumeMode[] = ['pass_decision_to_tool', 'continue_call']

/**
 * `null` unless the tool is given the decision. A doubt in between, resolved by running the call again, changes nothing of
 * that, except for a call that was to go on: it begins anew.
 */
export async function suspendedBefore({ run, runtime }: GateSession, call: ToolCall): Promise<SuspendedBefore | null> {
  const hold = [...run.holds.values()].findLast(
    each => each.call_id === call.id && each.decision !== null && each.kind !== 'in_doubt',
  )
  if (!hold || hold.decision === null || !PASSED.includes(hold.resume_mode)) return null
  const isAnew = run.holds.get(call.hold_id ?? '')?.kind === 'in_doubt'
  if (isAnew && hold.resume_mode === 'continue_call') return null
  return { hold, decision: hold.decision, asked: await runtime.store.hold(hold.id) }
}

/** `null` if the tool may go on: the basis is the one that was decided on. @throws NotPlainError, ToolError */
export function askedAnew(
  ids: Ids,
  { hold, asked }: SuspendedBefore,
  { basis: given, anew = {} }: { readonly basis: Json; readonly anew?: Partial<SuspendRequest> | undefined },
): AskedAnew | null {
  const basis = plain(given, 'basis')
  const shown = shownBasis(asked ?? {})
  const digest = hold.basis ?? ids.digest(canonicalJson(shown))
  if (digest === ids.digest(canonicalJson(basis))) return null
  const before = asked === null ? {} : termsOf(asked)
  const message = `${anew.message ?? originalMessage(asked)}${CHANGED}${changesText(shown, basis)}.`
  const context = asked?.basis === undefined ? basis : asked.context
  return {
    request: { needsPerson: true, context, ...before, ...anew, message, basis },
    lastDeciders: anew.deciders ? null : (asked?.deciders ?? null),
  }
}

const CHANGED = '\n\nThis was decided before, and changed since: '

/** Without the words about an earlier change. */
function originalMessage(asked: Hold | null): string {
  return asked?.message.split(CHANGED)[0] ?? 'What people decided on is another by now. May it go on?'
}

function termsOf({ kind, choices, response_schema, resume_mode, assignee }: Hold): Partial<SuspendRequest> {
  return {
    ...((kind === 'approval' || kind === 'question' || kind === 'client_tool') && { kind }),
    ...{ choices, responseSchema: response_schema, resumeMode: resume_mode, assignee },
  }
}

const MOST_TOLD = 5

function changesText(was: Json, is: Json): string {
  return differences({ basis: was }, { basis: is }, MOST_TOLD)
    .map(each => `${each.path} was ${shortJson(each.was)}, is ${shortJson(each.is)}`)
    .join('; ')
}

function shortJson(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
