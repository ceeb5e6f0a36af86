/**
 * P8, P9: a person's view of a hold, on every surface. A pure fold, plain JSON. Surfaces only choose a form for it, and
 * make invisible characters visible (`visibleText`) if their medium would hide them.
 */

import type { StuckRun } from '../advancing/stuck-run.ts'
import type { Amount } from '../count.ts'
import { describeDue, describeEffect } from '../deadlines/describe-due.ts'
import type { ErrorDocument } from '../errors.ts'
import { type Hold, usualMessage } from '../hold/hold.ts'
import { shownBasis } from '../hold/hold-digests.ts'
import { approvalsNeeded } from '../hold/may-decide.ts'
import type { EventData, JournalEvent } from '../journal/event.ts'
import type { Membership } from '../people/membership.ts'
import type { RunPath } from '../run/run-path.ts'
import { type Difference, differences } from '../text/differences.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { boundParts } from './bound-parts.ts'
import { type HoldIds, holdDocument, type ShownAct } from './hold-document.ts'
import { type HistoryEntry, holdHistory } from './hold-history.ts'
import { type HoldResult, holdResult } from './hold-result.ts'
import { type HoldBatch, holdBatch } from './hold-siblings.ts'
import { holdSummary, whoMayDecide } from './hold-words.ts'
import { markedNever } from './marked-never.ts'
import { mayDecide, type PossibleVerdict, possibleVerdicts } from './possible-verdicts.ts'

/** A question of the same run that was answered before. */
export interface AnsweredBefore {
  readonly hold_id: string
  readonly question: string
  readonly answer: Json
  readonly answered_by: string
  /** ISO time. */
  readonly at: string
}

/** A hold with all that helps to decide it. */
export type HoldView = Hold &
  HoldIds &
  ShownAct &
  HoldBatch & {
    /** The request, in a sentence: the message, or that a tool wants to run. */
    readonly asks: string
    /** The request with the arguments, in one visible line. */
    readonly summary: string
    /** The rule or plugin that held the call; `null` if the journal does not name it. */
    readonly because: { readonly rule: string; readonly plugin: string | null } | null
    /** From the run that no agent started, down to the one that waits. */
    readonly path: RunPath
    /** The newest pause of its run: what a resume takes to decide it; `null` if the run has not paused. */
    readonly checkpoint_id: string | null
    /** The events of the hold, oldest first. */
    readonly history: readonly HistoryEntry[]
    /** What the decision led to; `null` before it. */
    readonly result: HoldResult | null
    /** Answered questions of the same run, oldest first. */
    readonly earlier_answers: readonly AnsweredBefore[]
    /** The approver's changes in the arguments; `null` if there are none. */
    readonly edited: readonly Difference[] | null
    /** The hold about the same call before this one, and what is different now; `null` if this is the first. */
    readonly asked_before: { readonly hold_id: string; readonly differences: readonly Difference[] } | null
    /** When it is due and what happens then, in words; `null` if it is not open any more. */
    readonly at_deadline: string | null
    /**
     * The effect of the deadline alone, for a surface that counts down by itself; `null` if it is never due or not open
     * any more.
     */
    readonly deadline_effect: string | null
    /** The deciders, in words. */
    readonly who_may_decide: string
    readonly approvals: { readonly have: Amount; readonly need: Amount }
    /** The possible verdicts. Empty if the hold is closed. */
    readonly verdicts: readonly PossibleVerdict[]
    /** Whether the viewer may let it pass; why not otherwise; `null` if it is not open any more. */
    readonly may_decide: true | ErrorDocument | null
  }

export interface HoldFacts {
  /** The hold, with its current `requesters`. */
  readonly hold: Hold
  /** The journal of its thread. */
  readonly events: readonly JournalEvent[]
  readonly path: RunPath
  /** Decided questions of its run, oldest first. */
  readonly answered: readonly Hold[]
  /** The hold about the same call before this one. */
  readonly before: Hold | null
  /** Why its run does not go on although it could. */
  readonly stuck: StuckRun | null
}

export interface HoldViewer {
  /** The name with which the viewer would sign. */
  readonly name: string
  /** Default: no group is proven. */
  readonly member_of?: Membership | null
  /** Milliseconds since 1970. */
  readonly now: number
  /** Why the viewer decides nothing at all; `null` if only the hold's own rules count. */
  readonly refusal: ErrorDocument | null
}

export function holdView(
  { hold: stored, events, path, answered, before, stuck }: HoldFacts,
  viewer: HoldViewer,
): HoldView {
  const opened = openingOf(events, stored.id)
  const hold = markedNever(stored, opened)
  const { decision, votes } = hold
  const verdicts = possibleVerdicts(hold, viewer).map(each =>
    viewer.refusal === null ? each : { ...each, refusal: viewer.refusal },
  )
  return {
    ...holdDocument(hold),
    ...holdBatch(
      events.filter(({ run_id }) => run_id === hold.run_id),
      hold.call_id,
    ),
    asks: hold.message === '' ? usualMessage(hold.tool ?? '') : hold.message,
    summary: holdSummary(hold),
    because: opened && { rule: opened.because, plugin: opened.plugin },
    path,
    checkpoint_id: pauseOf(events, hold.run_id),
    history: holdHistory(events, hold.id),
    result: holdResult(hold, events, stuck),
    earlier_answers: answered.flatMap(each => answeredBefore(hold, each)),
    edited: decision?.arguments
      ? allDifferences({ arguments: hold.arguments }, { arguments: decision.arguments })
      : null,
    asked_before: before && { hold_id: before.id, differences: differencesSince(before, hold) },
    at_deadline: hold.status === 'open' ? describeDue(hold, viewer.now) : null,
    deadline_effect: hold.status === 'open' ? describeEffect(hold) : null,
    who_may_decide: whoMayDecide(hold),
    approvals: { have: votes.length, need: approvalsNeeded(hold) },
    verdicts,
    may_decide: mayDecide(verdicts),
  }
}

function pauseOf(events: readonly JournalEvent[], runId: string): string | null {
  const named = events.findLast(
    ({ kind, run_id, data }) => kind === 'checkpoint.named' && run_id === runId && data.reason !== 'step',
  )
  return named?.kind === 'checkpoint.named' ? named.data.checkpoint_id : null
}

function openingOf(events: readonly JournalEvent[], holdId: string): EventData['hold.opened'] | null {
  const opened = events.find(({ kind, data }) => kind === 'hold.opened' && data.hold_id === holdId)
  return opened?.kind === 'hold.opened' ? opened.data : null
}

function answeredBefore(hold: Hold, { id, message, decision }: Hold): AnsweredBefore[] {
  const isEarlier = decision?.verdict === 'respond' && !(hold.decision && decision.at > hold.decision.at)
  if (id === hold.id || !isEarlier) return []
  const { value: answer, decided_by: answered_by, at } = decision
  return [{ question: message, answer, answered_by, at, hold_id: id }]
}

/** P9: arguments that the approver put in place of the original ones were asked before, too. */
function differencesSince(before: Hold, hold: Hold): readonly Difference[] {
  const asked = before.decision?.arguments ?? before.arguments
  const [was, is] = basesOf(before, hold)
  return allDifferences(
    { ...boundParts({ tool: before.tool, schema: before.tool_schema, arguments: asked }), ...was },
    { ...boundParts({ tool: hold.tool, schema: hold.tool_schema, arguments: hold.arguments }), ...is },
  )
}

/** Both bases, if the tool asked the second hold because the basis of the first has changed. */
function basesOf(before: Hold, { basis }: Hold): readonly JsonObject[] {
  if (basis === undefined || before.resume_mode !== 'pass_decision_to_tool') return []
  return [{ basis: shownBasis(before) }, { basis }]
}

function allDifferences(was: JsonObject, is: JsonObject): readonly Difference[] {
  return differences(was, is, Number.POSITIVE_INFINITY)
}
