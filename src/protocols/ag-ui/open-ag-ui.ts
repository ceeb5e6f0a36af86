/**
 * AG-UI as a server answers it: `POST /ag-ui/{agent}` for clients of the protocol, and the routes by which CopilotKit
 * speaks to a server directly.
 */
import { includesRole } from '../../core/people/role.ts'
import { eventStream, type StreamEvent } from '../http/event-stream.ts'
import { isProblem, type Problem } from '../http/problem.ts'
import type { Exchange, Protocol, Route, RouteOperation } from '../http/route.ts'
import { threadOfChat } from '../turns/chat-thread.ts'
import { type AgUiDeps, USUAL_AGENT } from './ag-ui-deps.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { conversationIn, otherRole, receive } from './receive.ts'
import { RUN_INPUT, readRunInput } from './run-input.ts'
import { type Answering, runStream } from './run-stream.ts'

/** Clients repeat the whole conversation, with its files, in each request. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

type Answer = (deps: AgUiDeps, exchange: Exchange) => Promise<Response | Problem>

export function openAgUi(deps: AgUiDeps): Protocol {
  const route = (path: string, [method, operation]: readonly [string, RouteOperation], answer: Answer): Route => ({
    methods: [method],
    path: `/ag-ui/${path}`,
    operations: { [method]: operation },
    answer: async exchange => {
      const answered = await answer(deps, exchange)
      return answered instanceof Response ? answered : refuse(answered)
    },
    refuse,
  })
  const streaming = { maxBodyBytes: MAX_BODY_BYTES, streams: true } as const
  return {
    routes: [
      route('info', ['GET', INFO], info),
      { ...route('agent/:agent/run', ['POST', RUN], run), ...streaming },
      { ...route('agent/:agent/connect', ['POST', CONNECT], connect), ...streaming },
      route('agent/:agent/stop/:thread', ['POST', STOP], stop),
      { ...route(':agent', ['POST', RUN], run), ...streaming },
    ],
  }
}

const REFUSED = { refusalType: 'application/json' } as const
const EVENTS = { text: 'Events of AG-UI, up to the rest of the run.', type: 'text/event-stream' }

const RUN: RouteOperation = {
  summary: 'Sends a message in a thread of AG-UI, or answers its interrupts; `default` is the usual agent',
  description:
    'A message takes the role operator, answers take decider, and to look takes viewer, or one with more rights.',
  body: RUN_INPUT,
  answers: { 200: EVENTS },
  ...REFUSED,
}

const CONNECT: RouteOperation = {
  summary: 'All messages of a thread of AG-UI, what its run does by now, and what waits',
  description: 'Takes the role viewer, or one with more rights.',
  body: RUN_INPUT,
  answers: { 200: EVENTS },
  ...REFUSED,
}

const STOP: RouteOperation = {
  summary: 'Cancels the newest run of a thread',
  description: 'Takes the role operator, or one with more rights.',
  answers: { 200: { text: '`stopped`, and the `outcome`.', type: 'application/json' } },
  ...REFUSED,
}

const INFO: RouteOperation = {
  summary: 'The agents, as clients of CopilotKit ask for them',
  description: 'Takes the role viewer, or one with more rights.',
  answers: { 200: { text: '`agents` by name.', type: 'application/json' } },
  ...REFUSED,
}

const run: Answer = async (deps, exchange) => {
  const input = readRunInput(exchange.body)
  if (isProblem(input)) return input
  const { agent = USUAL_AGENT } = exchange.params
  const received = await receive(deps, { agent, input, caller: exchange.caller })
  return isProblem(received) ? received : streamed(deps, exchange, { ...received, input, to: exchange.caller.name })
}

/**
 * Returns the current state of a conversation, with what it waits for, and follows it until its run pauses or ends.
 */
const connect: Answer = async (deps, exchange) => {
  const input = readRunInput(exchange.body)
  if (isProblem(input)) return input
  const conversation = await conversationIn(deps, threadOfChat(input.threadId))
  if (!conversation) return eventStream(exchange.place, async function* () {}, STREAM)
  const { seq } = conversation.thread
  return streamed(deps, exchange, { conversation, seq, refusal: null, input, to: exchange.caller.name })
}

/** Cancels what the agent does. To close a connection never does. */
const stop: Answer = async ({ holdpoint }, { caller, params: { thread = '' } }) => {
  if (!includesRole(caller.role, 'operator')) return otherRole(caller, 'operator')
  const [newest] = await holdpoint.runs({ thread_id: threadOfChat(thread), limit: 1 })
  if (!newest) return { status: 404, code: 'unknown_session', detail: 'There is no such thread.' }
  const { outcome } = await holdpoint.cancel(newest.id, { by: caller.name, reason: null })
  return Response.json({ stopped: outcome === 'cancelled', outcome })
}

/** Answers the first request of CopilotKit's clients. */
const info: Answer = async ({ agentNames }) => {
  const names = [USUAL_AGENT, ...agentNames().filter(name => name !== USUAL_AGENT)]
  const agents = Object.fromEntries(names.map(name => [name, { name, description: '', className: 'HttpAgent' }]))
  return Response.json({ version: COPILOTKIT, agents, audioFileTranscriptionEnabled: false, mode: 'sse' })
}

/** The version of CopilotKit's runtime whose routes these are. */
const COPILOTKIT = '1.75.0'

const STREAM = { farewell: () => frame(ENDING) }
/** The run continues: a client that connects again sees it. */
const ENDING: AgUiEvent = {
  type: 'RUN_ERROR',
  code: 'server_ending',
  message: 'This server ends. The run goes on: connect again to see it.',
}

function streamed(deps: AgUiDeps, { place }: Exchange, answering: Answering): Response {
  const open = async function* (signal: AbortSignal) {
    for await (const event of runStream(deps, answering, signal)) yield frame(event)
  }
  return eventStream(place, open, STREAM)
}

function frame(event: AgUiEvent): StreamEvent {
  return { data: event }
}

/** JSON with the content type `application/json`: clients read no other. */
function refuse({ status, code, detail, hint = null, headers = {}, more }: Problem): Response {
  return Response.json({ status, code, message: detail, hint, ...more }, { status, headers })
}
