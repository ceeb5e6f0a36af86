/**
 * From a checkpoint and what the flags say to an advance. Keeps: a checkpoint is resumed once; a refusal changes
 * nothing; who comes second is told who was first (P2).
 */
import type { Decision, DecisionInput } from '../../core/decision.ts'
import { RefusedError } from '../../core/errors.ts'
import type { EventData } from '../../core/event.ts'
import { fold } from '../../core/fold.ts'
import { outcomeOf } from '../../core/termination.ts'
import type { Run } from '../../core/thread.ts'
import type { Holdpoint } from '../../runtime/holdpoint.ts'
import type { CheckpointPlace } from '../../runtime/load-checkpoint.ts'
import type { RunView } from '../../runtime/run-view.ts'
import { chosenDecisions } from './chosen-decisions.ts'
import type { Choices, RunRequest } from './run-request.ts'

/** Either an existing run to advance, or the next run of its thread to start; with `fork`, in the thread that it makes. */
export type Resumption = { readonly view: RunView; readonly fork?: () => Promise<Forked> } & (
  | { readonly type: 'advance'; readonly decisions: readonly DecisionInput[] }
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
  if (request.fork) return resumeFork(holdpoint, { request, by, view: await holdpoint.viewAt(place) })
  const thread = fold(place.thread_id, place.events)
  const run = thread.run as Run
  if (run.id !== place.run_id || (run.announced?.seq ?? 0) > place.seq) throw superseded(run, place)
  const asked = { request, by, view: (await holdpoint.view(thread)) as RunView }
  if (asked.view.status === 'done') return afterTheEnd(asked, thread.seq)
  return { type: 'advance', view: asked.view, decisions: decisionsOf(asked, place) }
}

/** What the flags say is checked against the old thread before the new one is made. */
async function resumeFork(holdpoint: Holdpoint, asked: Asked): Promise<Resumption> {
  const { view, request } = asked
  const fork = () => holdpoint.fork(request.checkpoint ?? '')
  if (view.status === 'done') return { ...afterTheEnd(asked, 0), fork }
  const decisions = decisionsOf(asked, null)
  const [objection] = await holdpoint.objections(decisions)
  if (objection) throw objection
  return { type: 'advance', view, decisions, fork }
}

function decisionsOf(asked: Asked, place: CheckpointPlace | null): DecisionInput[] {
  if (asked.view.status === 'waiting') return answerTo(asked)
  return alreadyAnswered(asked, place ? decidedSince(place) : [])
}

/** What was decided after a checkpoint, by whomever. */
function decidedSince({ events, seq, run_id }: CheckpointPlace): Winner[] {
  return events.flatMap(event =>
    event.kind === 'hold.decided' && event.run_id === run_id && event.seq > seq ? [event.data] : [],
  )
}

type Winner = EventData['hold.decided']

interface Asked {
  readonly request: RunRequest
  readonly by: Resumer
  readonly view: RunView
}

/** What the flags say to a run that waits. */
function answerTo({ request, by, view }: Asked): DecisionInput[] {
  const input = view.holds.find(hold => hold.kind === 'input')
  if (request.choices) return chosenDecisions(view, request.choices, by)
  if (request.finish) {
    if (input) return [{ hold_id: input.id, verdict: 'approve', ...by }]
    throw refused('calls_pending', '--finish accepts a text as final, but here calls are pending.', decideHint(view))
  }
  if (request.prompt === null) return []
  const asked = input ?? onlyQuestion(view)
  if (asked) return [{ hold_id: asked.id, verdict: 'respond', value: request.prompt, ...by }]
  throw refused('calls_pending', 'A text was given, but here calls are pending that need decisions.', decideHint(view))
}

function onlyQuestion({ holds }: RunView): RunView['holds'][number] | null {
  const [first, ...others] = holds
  return first?.kind === 'question' && others.length === 0 ? first : null
}

/**
 * The run is not waiting: its owner died or was interrupted, or somebody decided elsewhere. To say the same again goes
 * on with it; to say something else is too late.
 */
function alreadyAnswered({ request, view }: Asked, winners: readonly Winner[]): DecisionInput[] {
  if (!request.choices && !request.finish && request.prompt === null) return []
  const differs = winners.find(winner => !saysTheSame(request, winner))
  if (differs) throw alreadyDecided(differs.hold_id, differs.decision)
  if (winners.length > 0) return []
  throw refused(
    'nothing_pending',
    `Nothing is pending at this checkpoint: run ${view.id} can simply go on.`,
    `Run \`holdpoint -c ${view.checkpoint_id}\`.`,
  )
}

function saysTheSame({ choices, finish, prompt }: RunRequest, { hold_id, call_id, decision }: Winner): boolean {
  if (prompt !== null) return decision.verdict === 'respond' && decision.value === prompt
  if (finish) return decision.verdict === 'approve'
  const named = (list: readonly string[]) => list.includes(hold_id) || (call_id !== null && list.includes(call_id))
  return choices === null || SAME[decision.verdict](choices, named, decision)
}

type Same = (choices: Choices, named: (ids: readonly string[]) => boolean, decision: Decision) => boolean

const SAME: Record<Decision['verdict'], Same> = {
  approve: (choices, named) => choices.approveAll || named(choices.approve),
  reject: (choices, named) => !choices.approveAll && !named(choices.approve),
  edit: (choices, named) => named(choices.edits.map(({ id }) => id)),
  respond: (choices, named, { value }) => choices.answers.some(({ id, text }) => named([id]) && text === value),
  cancel: () => false,
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

export function alreadyDecided(holdId: string, winner: Decision): RefusedError {
  return new RefusedError(
    'already_decided',
    `${winner.decided_by} already chose ${winner.verdict} for ${holdId} at ${winner.at}, so your decision was not recorded.`,
    { hint: 'See how it went on with `holdpoint runs`.', details: { winner } },
  )
}

function decideHint({ holds }: RunView): string {
  const calls = holds.flatMap(({ call_id }) => (call_id === null ? [] : [call_id]))
  return `Decide them with --approve, --reject, --edit or --answer: ${calls.join(', ')}.`
}

function refused(code: string, message: string, hint: string): RefusedError {
  return new RefusedError(code, message, { hint })
}
