import type { Move } from '../../core/journal/next-move.ts'
import { openHolds } from '../../core/journal/thread.ts'
import { askedAgainText } from '../../core/run/outcome/unfinished-answer.ts'
import type { Termination } from '../../core/run/termination.ts'
import { gateCalls } from '../gate/gate-calls.ts'
import type { RunSession } from '../session/run-session.ts'
import { attendCalls } from './attend-calls.ts'
import { concludeRun } from './conclude-run.ts'
import { cutStep, endRun } from './end-run.ts'
import { endStep, inferStep } from './infer-step.ts'
import { startCalls } from './start-calls.ts'

/** The end of the run, if the step is its last. */
type Taken = Promise<Termination | null>
type Step<T extends Move['type']> = (session: RunSession, move: Extract<Move, { type: T }>) => Taken

/** A move that brings the run on. `wait` and `done` end an advance. */
export type StepMove = Exclude<Move, { type: 'wait' | 'done' }>

const STEPS: { readonly [T in StepMove['type']]: Step<T> } = {
  infer: inferStep,
  gate: async (session, { calls }) => gateCalls(session, calls, (await session.agent()).tools),
  settle: settleCall,
  start: (session, { calls }) => startCalls(session, calls),
  attend: attendCalls,
  end_step: endStep,
  cut_step: cutStep,
  ask_again: askAgain,
  conclude: (session, { accepted }) => concludeRun(session, accepted),
  end: async (_session, { termination }) => termination,
}

export async function takeStep(session: RunSession, move: StepMove): Promise<void> {
  const step = STEPS[move.type] as Step<Move['type']>
  const termination = await step(session, move)
  if (termination) await endRun(session, termination)
}

async function askAgain(session: RunSession, { because }: Extract<Move, { type: 'ask_again' }>): Promise<null> {
  session.stage('answer.asked_again', { because, message: askedAgainText(because) })
  return null
}

/**
 * Finishes a call without its tool. A hold that still is open is withdrawn with it: a decision on a call that is over
 * would fit nowhere. If a person decides it meanwhile, nothing of this happens.
 */
async function settleCall(session: RunSession, { call, release }: Extract<Move, { type: 'settle' }>): Promise<null> {
  const { status, output, parts, error } = release
  const open = openHolds(session.run).find(({ call_id }) => call_id === call.id)
  if (open) {
    session.beginRest()
    session.stage('hold.withdrawn', { hold_id: open.id, call_id: call.id, because: 'its call is over' })
  }
  session.stage('call.finished', { call_id: call.id, status, output, ...(parts && { parts }), error })
  if (open) await session.flush()
  return null
}
