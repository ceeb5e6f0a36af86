/** The routes that `useChat` of the AI SDK talks to. Their errors are plain text, which a page shows as it is. */
import type { Problem } from '../http/problem.ts'
import type { Protocol, Route, RouteOperation } from '../http/route.ts'
import { CHAT_REQUEST } from './chat-request.ts'
import type { ChatSite } from './chat-site.ts'
import { resumeChat, showChat } from './look-at-chat.ts'
import { postChat } from './post-chat.ts'

/** A client sends the whole conversation with each message. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

export function openAiSdk(site: ChatSite): Protocol {
  const routes: readonly Pick<Route, 'methods' | 'path' | 'maxBodyBytes' | 'streams' | 'answer' | 'operations'>[] = [
    {
      ...{ methods: ['POST'], path: '/api/chat', maxBodyBytes: MAX_BODY_BYTES, streams: true },
      operations: { POST: POST_CHAT },
      answer: exchange => postChat(site, exchange),
    },
    {
      ...{ methods: ['GET'], path: '/api/chat/:id/stream', streams: true },
      operations: { GET: RESUME_CHAT },
      answer: exchange => resumeChat(site, exchange),
    },
    {
      ...{ methods: ['GET'], path: '/api/chat/:id/messages' },
      operations: { GET: SHOW_CHAT },
      answer: exchange => showChat(site, exchange),
    },
  ]
  return { routes: routes.map(route => ({ ...route, refuse })) }
}

const REFUSED = { refusalType: 'text/plain' } as const
const STREAM = {
  text: 'A UI message stream of the AI SDK 6 and 7, up to the rest of the run.',
  type: 'text/event-stream',
}

const POST_CHAT: RouteOperation = {
  summary: 'Sends a message in a chat of the AI SDK, or answers what it waits for',
  description: 'A message takes the role operator, and answers take the role decider, or one with more rights.',
  body: CHAT_REQUEST,
  answers: { 200: STREAM },
  ...REFUSED,
}

const RESUME_CHAT: RouteOperation = {
  summary: 'Goes on with the stream of a turn that is under way',
  description: 'Takes the role viewer, or one with more rights.',
  query: { since: { type: 'integer', minimum: 0, description: 'The `seq` that came with the messages.' } },
  answers: { 200: STREAM, 204: { text: 'Nothing is under way.' } },
  ...REFUSED,
}

const SHOW_CHAT: RouteOperation = {
  summary: 'The messages of a chat, for a page to begin with',
  description: 'Takes the role viewer, or one with more rights.',
  answers: {
    200: {
      text: '`messages` as `useChat` takes them, with `seq`, `status` and `thread_id`.',
      type: 'application/json',
    },
  },
  ...REFUSED,
}

function refuse({ status, detail, hint, headers = {} }: Problem): Response {
  const text = hint ? `${detail} ${hint}` : detail
  return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
}
