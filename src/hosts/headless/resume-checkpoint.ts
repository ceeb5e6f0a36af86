/**
 * From a checkpoint and the flags to an advance.
 * Keeps: a checkpoint is resumed once; a refusal changes nothing; the second caller reads who was first (P2).
 */

import { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import { fold } from '../../core/journal/fold.ts'
import type { Run } from '../../core/journal/thread.ts'
import { movedAway } from '../../core/run/exported.ts'
import { endsUnfinished } from '../../core/run/outcome/unfinished-answer.ts'
import { outcomeOf } from '../../core/run/termination.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Holds } from '../../runtime/face/holds.ts'
import type { Threads } from '../../runtime/face/threads.ts'
import type { Earlier } from '../../runtime/pauses/chosen-decisions.ts'
import {
  type AskedPause,
  decidedSince,
  earlierDecisions,
  pauseDecisions,
} from '../../runtime/pauses/pause-decisions.ts'
import type { CheckpointPlace } from '../../runtime/views/load-checkpoint.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import type { RunRequest } from './run-request.ts'

/** Either an existing run to advance, or the next run of its thread to start; with `fork`, in the thread that it makes. */
export type Resumption = { readonly view: RunView; readonly fork?: () => Promise<Forked> } & (
  | {
      readonly type: 'advance'
      readonly decisions: readonly DecisionInput[]
      readonly repeated: Earlier | null
      /** The message to the fork before it continues. */
      readonly message: string | null
      /** `lastRest` of `AdvanceOptions`; left out in a fork, which no other process knows. */
      readonly lastRest?: string | null
    }
  | { readonly type: 'start'; readonly seq: number; readonly input: string | null }
)

type Forked = Awaited<ReturnType<Threads['fork']>>

type ResumedPause = AskedPause & { readonly request: RunRequest }

export interface Resumer {
  readonly decided_by: string
  readonly surface: string
}

/** @throws RefusedError; then nothing was changed. */
export async function resumeCheckpoint(
  holdpoint: Holdpoint,
  request: RunRequest & { checkpoint: string },
  by: Resumer,
): Promise<Resumption> {
  const place = await holdpoint.checkpoint(request.checkpoint)
  if (request.fork) {
    const past = await holdpoint.viewAt(place)
    return resumeFork(holdpoint, { request, by, view: past, earlier: earlierDecisions(past, null) })
  }
  const exported = await holdpoint.bundles.exported(place.thread_id)
  if (exported) throw movedAway(exported)
  const thread = fold(place.thread_id, place.events)
  const run = thread.run as Run
  if (run.id !== place.run_id || (run.announced?.seq ?? 0) > place.seq) throw superseded(run, place)
  const view = (await holdpoint.view(thread)) as RunView
  const asked = { request, by, view, earlier: earlierDecisions(view, place) }
  if (view.status === 'done') return afterTheEnd(asked, thread.seq)
  const { decisions, repeated } = planned(asked)
  const lastRest = run.announced?.id ?? null
  return { type: 'advance', view, decisions: asAsked(run, decisions), repeated, message: null, lastRest }
}

/** P9: a checkpoint shows the questions of its journal. */
function asAsked({ holds }: Run, decisions: readonly DecisionInput[]): DecisionInput[] {
  return decisions.map(decision => ({ ...decision, digest: holds.get(decision.hold_id)?.digest }))
}

/** The flags are checked against the old thread before the new one is made. */
async function resumeFork(holdpoint: Holds & Threads, asked: ResumedPause): Promise<Resumption> {
  const { view, request } = asked
  const fork = () => holdpoint.fork(request.checkpoint ?? '')
  if (view.status === 'done') return { ...afterTheEnd(asked, 0), fork }
  const { prompt: message } = request
  // Nothing waits there, so a text answers nothing: it is the user's next message.
  if (message !== null && view.holds.length === 0)
    return { type: 'advance', view, decisions: [], repeated: null, message, fork }
  const plan = planned(asked)
  const [objection] = await holdpoint.objections(plan.decisions)
  if (objection) throw objection
  return { type: 'advance', view, ...plan, message: null, fork }
}

/** The decisions. If they were made before: the newest of those. */
function planned(asked: ResumedPause): { decisions: DecisionInput[]; repeated: Earlier | null } {
  const { choices, finish, prompt } = asked.request
  const decisions = pauseDecisions(asked)
  const repeats = decisions.length === 0 && (choices !== null || finish || prompt !== null)
  return { decisions, repeated: repeats ? (asked.earlier.at(-1) ?? null) : null }
}

/** The run is over. Unfinished work continues in a new run of the thread; a text always does. */
function afterTheEnd({ request, view }: ResumedPause, seq: number): Resumption {
  if (request.choices || request.finish) {
    throw argumentRefusals.nothingPending(view.id)
  }
  const completed = view.termination !== null && outcomeOf(view.termination) === 'completed'
  if (request.prompt === null && completed) {
    throw argumentRefusals.alreadyCompleted(view.id)
  }
  if (request.prompt === null && endsUnfinished(view.termination)) {
    throw argumentRefusals.answerCutOff(view.id)
  }
  return { type: 'start', view, seq, input: request.prompt }
}

/** The refusal of one who came while another went on from this checkpoint. */
export async function supersededSince(holdpoint: Threads, checkpoint: string): Promise<RefusedError> {
  const place = await holdpoint.checkpoint(checkpoint)
  return superseded(fold(place.thread_id, place.events).run as Run, place)
}

function superseded(run: Run, place: CheckpointPlace): RefusedError {
  const [first] = decidedSince(place)
  const newest = run.checkpoint?.id ?? null
  const by = first ? ` (${first.decision.decided_by} chose ${first.decision.verdict} at ${first.decision.at})` : ''
  const branch = 'or branch off from this checkpoint with --fork'
  return new RefusedError(
    'superseded',
    `This checkpoint was resumed already${by}: its thread has moved on to ${newest}.`,
    {
      hint: run.termination
        ? `That run is finished: go on with the conversation with \`holdpoint -c ${newest} "…"\`, ${branch}.`
        : `Go on from there with \`holdpoint -c ${newest}\`, ${branch}.`,
      details: { checkpoint_id: newest, ...(first ? { winner: first.decision } : {}) },
    },
  )
}
