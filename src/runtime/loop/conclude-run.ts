import type { Run } from '../../core/journal/thread.ts'
import { endOfAnswer } from '../../core/run/outcome/unfinished-answer.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { GateSession } from '../gate/gate-session.ts'
import { askedOfPeople } from '../gate/hold-terms.ts'
import type { AskedInput } from '../session/asked-input.ts'
import { whileCancellable } from '../session/cancellation.ts'
import type { RunSession } from '../session/run-session.ts'
import { type MessageContent, messageContent } from '../views/message-content.ts'
import { type RunView, runView } from '../views/run-view.ts'

/** The model asks for nothing that may run: the run ends, or a person provides the next message. */
export async function concludeRun(session: RunSession, accepted: boolean): Promise<Termination | null> {
  if (accepted) return { type: 'natural_end' }
  if (session.input) return askForInput(session, session.input)
  if (!session.pausesForInput) return endOfAnswer(session.run)
  // If a message arrives meanwhile, it is used, and no person is asked for one.
  session.beginRest()
  await holdForInput(session)
  return null
}

async function askForInput(session: RunSession, input: AskedInput): Promise<Termination | null> {
  // With it a message may have been taken in: that is heard before the provider is asked for one.
  if (await session.flush()) return null
  const view = runView(session.thread, [])
  if (!view) return endOfAnswer(session.run)
  const content = await session.time.waiting(() => nextMessage(session, input, view))
  if (content === 'heard') return null
  // Another sender may have been as quick.
  if (!content) return session.run.queue.length > 0 ? null : endOfAnswer(session.run)
  session.stage('message.received', {
    content: messageContent(session.runtime, content),
    author: null,
    forced_by: null,
    active_ms: session.time.activeMs,
  })
  return null
}

/** `null` if there is none; `heard` if another sender was quicker, whose message is queued now. */
async function nextMessage(
  session: RunSession,
  input: AskedInput,
  view: RunView,
): Promise<MessageContent | 'heard' | null> {
  const heard = Promise.withResolvers<'heard'>()
  const enough = new AbortController()
  const onNews = () => {
    if (session.run.queue.length === 0) return
    heard.resolve('heard')
    enough.abort()
  }
  const work = (signal: AbortSignal) =>
    Promise.race([heard.promise, input.next(view, AbortSignal.any([signal, enough.signal]))])
  const content = await whileCancellable(session, work, onNews)
  if (content !== 'heard') input.taken()
  return content
}

function aboutAnswer(run: Run): string {
  const end = endOfAnswer(run)
  if (end.type === 'stopped') return `The agent's answer is not whole: ${end.detail}.`
  return 'The agent answered with text alone.'
}

async function holdForInput(session: GateSession): Promise<void> {
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
      message: `${aboutAnswer(run)} Say what comes next, or accept the text as final.`,
      context: null,
      choices: null,
      response_schema: null,
      resume_mode: 'use_decision_as_tool_result',
      tool_schema: null,
      ...(await askedOfPeople(session, { kind: 'input', tool: null, request: null })),
    },
    { because: 'the model answered with text alone', plugin: null },
  )
}
