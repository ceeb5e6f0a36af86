import type { Move } from '../core/next-move.ts'
import { stopFor } from '../core/stop-condition.ts'
import type { Termination } from '../core/termination.ts'
import { askModel } from './ask-model.ts'
import { executeCall } from './execute-call.ts'
import { gateCalls } from './gate-calls.ts'
import { journalAnswer } from './journal-answer.ts'
import type { RunSession } from './run-session.ts'

type Step<T extends Move['type']> = (session: RunSession, move: Extract<Move, { type: T }>) => void | Promise<void>

/** What each move does. `wait` and `done` end an advance and are not here. */
const STEPS: { readonly [T in Exclude<Move['type'], 'wait' | 'done'>]: Step<T> } = {
  infer: async session => {
    const { run, thread } = session
    const stop = stopFor(run.profile.stop, { rounds: run.steps })
    if (stop) return finishRun(session, stop)
    if (run.checkpoint === null || run.checkpoint.seq < thread.seq) session.stageCheckpoint('step')
    await session.flush()
    const { answer, model } = await askModel(session)
    journalAnswer(session, answer, model)
  },
  gate: (session, { calls }) => gateCalls(session, calls),
  settle: (session, { call, release }) => {
    const { status, output, error } = release
    session.stage('call.finished', { call_id: call.id, status, output, error })
  },
  execute: (session, { call }) => executeCall(session, call),
  end_step: session => {
    const { run } = session
    const asked = (run.step?.calls.size ?? 0) > 0
    session.stage('step.ended', { step: run.steps })
    const stop = asked ? stopFor(run.profile.stop, { rounds: run.steps }) : null
    if (stop) finishRun(session, stop)
  },
  conclude: (session, { accepted }) => {
    if (accepted || !session.pausesForInput) finishRun(session, { type: 'natural_end' })
    else holdForInput(session)
  },
}

export async function takeStep(session: RunSession, move: Exclude<Move, { type: 'wait' | 'done' }>): Promise<void> {
  const step = STEPS[move.type] as Step<Move['type']>
  await step(session, move)
}

/** DESIGN §4.4: the one way in which a run gets its end. */
export function finishRun(session: RunSession, termination: Termination): void {
  session.stageCheckpoint('end')
  session.stage('run.finished', { termination })
}

function holdForInput(session: RunSession): void {
  const { runtime, run } = session
  session.stageHold(
    {
      id: runtime.ids.next('hold'),
      kind: 'input',
      run_id: run.id,
      call_id: null,
      tool: null,
      arguments: null,
      digest: null,
      message: 'The agent answered with text alone. Say what comes next, or accept the text as final.',
      context: null,
      choices: null,
      response_schema: null,
      due_at: null,
      on_due: null,
    },
    'the model answered with text alone',
  )
}
