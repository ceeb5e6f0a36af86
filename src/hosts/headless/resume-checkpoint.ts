/**
 * From a checkpoint and what the flags say to an advance. Keeps: a checkpoint is resumed once; a refusal changes
 * nothing; who comes second is told who was first (P2).
 */

import { alreadyDecided } from '../../core/already-decided.ts'
import { answerValue } from '../../core/answer-value.ts'
import type { DecisionInput } from '../../core/decision.ts'
import { RefusedError } from '../../core/errors.ts'
import { fold } from '../../core/fold.ts'
import { outcomeOf } from '../../core/termination.ts'
import type { Run } from '../../core/thread.ts'
import type { Holdpoint } from '../../runtime/holdpoint.ts'
import type { CheckpointPlace } from '../../runtime/load-checkpoint.ts'
import type { RunView } from '../../runtime/run-view.ts'
import { chosenDecisions, type Earlier } from './chosen-decisions.ts'
import type { RunRequest } from './run-request.ts'

/** Either an existing run to advance, or the next run of its thread to start; with `fork`, in the thread that it makes. */
export type Resumption = { readonly view: RunView; readonly fork?: () => Promise<Forked> } & (
  | {
      readonly type: 'advance'
      readonly decisions: readonly DecisionInput[]
      readonly repeated: Earlier | null
      /** What the fork is told before it goes on. */
      readonly message: string | null
    }
  | { readonly type: 'start'; readonly seq: number; readonly input: string | null }
)

type Forked = Awaited<ReturnType<Holdpoint['fork']>>

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
    return resumeFork(holdpoint, { request, by, view: past, earlier: earlierOf(past, null) })
  }
  const thread = fold(place.thread_id, place.events)
  const run = thread.run as Run
  if (run.id !== place.run_id || (run.announced?.seq ?? 0) > place.seq) throw superseded(run, place)
  const view = (await holdpoint.view(thread)) as RunView
  const asked = { request, by, view, earlier: earlierOf(view, place) }
  if (view.status === 'done') return afterTheEnd(asked, thread.seq)
  return { type: 'advance', view, ...planned(asked), message: null }
}

/** What the flags say is checked against the old thread before the new one is made. */
async function resumeFork(holdpoint: Holdpoint, asked: Asked): Promise<Resumption> {
  const { view, request } = asked
  const fork = () => holdpoint.fork(request.checkpoint ?? '')
  if (view.status === 'done') return { ...afterTheEnd(asked, 0), fork }
  const { prompt: message } = request
  // Nothing waits there, so a text answers nothing: it is the next thing that the user says.
  if (message !== null && view.holds.length === 0)
    return { type: 'advance', view, decisions: [], repeated: null, message, fork }
  const plan = planned(asked)
  const [objection] = await holdpoint.objections(plan.decisions)
  if (objection) throw objection
  return { type: 'advance', view, ...plan, message: null, fork }
}

/** What to decide; or, where that was said before, the newest of what was said. */
function planned(asked: Asked): { decisions: DecisionInput[]; repeated: Earlier | null } {
  const { choices, finish, prompt } = asked.request
  const decisions = decisionsOf(asked)
  const repeats = decisions.length === 0 && (choices !== null || finish || prompt !== null)
  return { decisions, repeated: repeats ? (asked.earlier.at(-1) ?? null) : null }
}

/** What was decided after a checkpoint, by whomever. */
function decidedSince({ events, seq, run_id }: CheckpointPlace): Earlier[] {
  return events.flatMap(event =>
    event.kind === 'hold.decided' && event.run_id === run_id && event.seq > seq ? [event.data] : [],
  )
}

interface Asked {
  readonly request: RunRequest
  readonly by: Resumer
  readonly view: RunView
  /** What was decided before: in this step, or since the checkpoint. */
  readonly earlier: readonly Earlier[]
}

/** The newest decision on each call, oldest first. */
function earlierOf(view: RunView, place: CheckpointPlace | null): Earlier[] {
  const step = view.decided.map(({ id, call_id, decision }) => ({ hold_id: id, call_id, decision }))
  const newest = new Map<string, Earlier>()
  for (const earlier of [...(place ? decidedSince(place) : []), ...step]) {
    const about = earlier.call_id ?? earlier.hold_id
    newest.delete(about)
    newest.set(about, earlier)
  }
  return [...newest.values()]
}

/**
 * What the flags say to a run that is not over. One that is not waiting has lost its owner, or somebody decided
 * elsewhere: to say the same again goes on with it, to say something else is too late.
 */
function decisionsOf(asked: Asked): DecisionInput[] {
  const { request, by, view, earlier } = asked
  if (request.choices) return chosenDecisions(view, request.choices, { by, earlier })
  if (request.finish) return finishes(asked)
  return request.prompt === null ? [] : answers(asked, request.prompt)
}

function finishes({ by, view, earlier }: Asked): DecisionInput[] {
  const input = view.holds.find(hold => hold.kind === 'input')
  if (input) return [{ hold_id: input.id, verdict: 'approve', ...by }]
  if (view.holds.length > 0) {
    throw refused('calls_pending', '--finish accepts a text as final, but here calls are pending.', decideHint(view))
  }
  return repeats({ view, earlier }, ({ call_id, decision }) => call_id === null && decision.verdict === 'approve')
}

function answers({ by, view, earlier }: Asked, text: string): DecisionInput[] {
  const [first, ...others] = view.holds
  if (first && others.length === 0 && (first.kind === 'input' || first.kind === 'question')) {
    return [{ hold_id: first.id, verdict: 'respond', value: answerValue(text, first), ...by }]
  }
  if (first)
    throw refused(
      'calls_pending',
      'A text was given, but here calls are pending that need decisions.',
      decideHint(view),
    )
  return repeats(
    { view, earlier },
    ({ decision: { verdict, value } }) => verdict === 'respond' && (value === text || JSON.stringify(value) === text),
  )
}

/** Nothing is open: whoever says the newest answer again goes on with the run, whoever says another comes too late. */
function repeats({ view, earlier }: Pick<Asked, 'view' | 'earlier'>, isSame: (answer: Earlier) => boolean): [] {
  const last = earlier.findLast(isAnswer) ?? earlier.at(-1)
  if (!last) {
    throw refused(
      'nothing_pending',
      `Nothing is pending at this checkpoint: run ${view.id} can simply go on.`,
      `Run \`holdpoint -c ${view.checkpoint_id}\`; with --fork a text is said to a new thread that begins here.`,
    )
  }
  if (isSame(last)) return []
  throw alreadyDecided(last.hold_id, last.decision)
}

/** To a text pause, or to a question. */
function isAnswer({ call_id, decision }: Earlier): boolean {
  return call_id === null || decision.verdict === 'respond'
}

/** The run is over. What was left undone goes on in a new run of the thread; a text always does. */
function afterTheEnd({ request, view }: Asked, seq: number): Resumption {
  if (request.choices || request.finish) {
    throw refused(
      'nothing_pending',
      `Run ${view.id} is finished, so there is nothing to decide.`,
      'Give a text to go on with the conversation.',
    )
  }
  const completed = view.termination !== null && outcomeOf(view.termination) === 'completed'
  if (request.prompt === null && completed) {
    throw refused('already_completed', `Run ${view.id} is completed.`, 'Give a text to go on with the conversation.')
  }
  return { type: 'start', view, seq, input: request.prompt }
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

function decideHint({ holds }: RunView): string {
  const calls = holds.flatMap(({ call_id }) => (call_id === null ? [] : [call_id]))
  return `Decide them with --approve, --reject, --edit or --answer: ${calls.join(', ')}.`
}

function refused(code: string, message: string, hint: string): RefusedError {
  return new RefusedError(code, message, { hint })
}
