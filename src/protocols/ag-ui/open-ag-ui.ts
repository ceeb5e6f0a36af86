/**
 * AG-UI as a server answers it: `POST /ag-ui/{agent}` for clients of the protocol, and the routes by which CopilotKit
 * speaks to a server directly.
 */
import { includesRole } from '../../core/people/role.ts'
import { eventStream, type StreamEvent } from '../http/event-stream.ts'
import { isProblem, type Problem } from '../http/problem.ts'
import type { Exchange, Protocol, Route } from '../http/route.ts'
import { threadOfChat } from '../turns/chat-thread.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { type AgUiSite, USUAL_AGENT } from './ag-ui-site.ts'
import { conversationIn, otherRole, receive } from './receive.ts'
import { readRunInput } from './run-input.ts'
import { type Answering, runStream } from './run-stream.ts'

/** Clients repeat the whole conversation, with its files, in each request. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

type Answer = (site: AgUiSite, exchange: Exchange) => Promise<Response | Problem>

export function openAgUi(site: AgUiSite): Protocol {
  const route = (method: string, path: string, answer: Answer): Route => ({
    methods: [method],
    path: `/ag-ui/${path}`,
    answer: async exchange => {
      const answered = await answer(site, exchange)
      return answered instanceof Response ? answered : refuse(answered)
    },
    refuse,
  })
  const streaming = { maxBodyBytes: MAX_BODY_BYTES, streams: true } as const
  return {
    routes: [
      route('GET', 'info', info),
      { ...route('POST', 'agent/:agent/run', run), ...streaming },
      { ...route('POST', 'agent/:agent/connect', connect), ...streaming },
      route('POST', 'agent/:agent/stop/:thread', stop),
      { ...route('POST', ':agent', run), ...streaming },
    ],
  }
}

const run: Answer = async (site, exchange) => {
  const input = readRunInput(exchange.body)
  if (isProblem(input)) return input
  const { agent = USUAL_AGENT } = exchange.params
  const received = await receive(site, { agent, input, caller: exchange.caller })
  return isProblem(received) ? received : streamed(site, exchange, { ...received, input, to: exchange.caller.name })
}

/** Gives back a conversation as it stands, with what it waits for, and stays until its run rests. */
const connect: Answer = async (site, exchange) => {
  const input = readRunInput(exchange.body)
  if (isProblem(input)) return input
  const conversation = await conversationIn(site, threadOfChat(input.threadId))
  if (!conversation) return eventStream(exchange.place, async function* () {}, STREAM)
  const { seq } = conversation.thread
  return streamed(site, exchange, { conversation, seq, refusal: null, input, to: exchange.caller.name })
}

/** Cancels what the agent does. To close a connection never does. */
const stop: Answer = async ({ holdpoint }, { caller, params: { thread = '' } }) => {
  if (!includesRole(caller.role, 'operator')) return otherRole(caller, 'operator')
  const [newest] = await holdpoint.runs({ thread_id: threadOfChat(thread), limit: 1 })
  if (!newest) return { status: 404, code: 'unknown_session', detail: 'There is no such thread.' }
  const { outcome } = await holdpoint.cancel(newest.id, { by: caller.name, reason: null })
  return Response.json({ stopped: outcome === 'cancelled', outcome })
}

/** What clients of CopilotKit ask for first. */
const info: Answer = async ({ agentNames }) => {
  const names = [USUAL_AGENT, ...agentNames().filter(name => name !== USUAL_AGENT)]
  const agents = Object.fromEntries(names.map(name => [name, { name, description: '', className: 'HttpAgent' }]))
  return Response.json({ version: COPILOTKIT, agents, audioFileTranscriptionEnabled: false, mode: 'sse' })
}

/** The version of CopilotKit's runtime whose routes these are. */
const COPILOTKIT = '1.75.0'

const STREAM = { farewell: () => frame(ENDING) }
/** The run goes on: a client that connects again sees it. */
const ENDING: AgUiEvent = {
  type: 'RUN_ERROR',
  code: 'server_ending',
  message: 'This server ends. The run goes on: connect again to see it.',
}

function streamed(site: AgUiSite, { place }: Exchange, answering: Answering): Response {
  const open = async function* (signal: AbortSignal) {
    for await (const event of runStream(site, answering, signal)) yield frame(event)
  }
  return eventStream(place, open, STREAM)
}

function frame(event: AgUiEvent): StreamEvent {
  return { data: event }
}

/** As JSON of the usual type: clients read no other. */
function refuse({ status, code, detail, hint = null, headers = {}, more }: Problem): Response {
  return Response.json({ status, code, message: detail, hint, ...more }, { status, headers })
}
