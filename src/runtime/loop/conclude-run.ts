import type { Termination } from '../../core/run/termination.ts'
import { askedOfPeople } from '../gate/hold-terms.ts'
import { whileCancellable } from '../session/cancellation.ts'
import type { RunSession } from '../session/run-session.ts'
import { messageContent } from '../views/message-content.ts'
import { runView } from '../views/run-view.ts'

const DONE: Termination = { type: 'natural_end' }

/** The model answered with text alone: the run ends, or somebody says how it goes on. */
export async function concludeRun(session: RunSession, accepted: boolean): Promise<Termination | null> {
  if (accepted) return DONE
  if (session.inputProvider) return askForInput(session)
  if (!session.pausesForInput) return DONE
  // Where a message comes meanwhile, it is heard, and nobody is asked for one.
  session.beginRest()
  holdForInput(session)
  return null
}

/** Where no time is left to act on an answer, nobody is asked for one. */
async function askForInput(session: RunSession): Promise<Termination | null> {
  if (session.signals.isLate) return DONE
  // With it a message may have been taken in: that is heard before anybody is asked for one.
  if (await session.flush()) return null
  const { inputProvider, thread } = session
  const view = runView(thread, [])
  if (!view || !inputProvider) return DONE
  const said = await session.time.waiting(() => whileCancellable(session, signal => inputProvider(view, signal)))
  // Somebody else may have said something meanwhile.
  if (!said) return session.run.queue.length > 0 ? null : DONE
  session.stage('message.received', {
    content: messageContent(session.runtime, said),
    author: null,
    forced_by: null,
  })
  return null
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
      resume_mode: 'use_decision_as_tool_result',
      tool_schema: null,
      ...askedOfPeople(session, { kind: 'input', tool: null, request: null }),
    },
    { because: 'the model answered with text alone', plugin: null },
  )
}
