/** The routes that `useChat` of the AI SDK talks to. Their errors are plain text, which a page shows as it is. */
import type { Problem } from '../http/problem.ts'
import type { Protocol, Route } from '../http/route.ts'
import type { ChatSite } from './chat-site.ts'
import { resumeChat, showChat } from './look-at-chat.ts'
import { postChat } from './post-chat.ts'

/** A client sends the whole conversation with each message. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

export function openAiSdk(site: ChatSite): Protocol {
  const routes: readonly Pick<Route, 'methods' | 'path' | 'maxBodyBytes' | 'streams' | 'answer'>[] = [
    {
      methods: ['POST'],
      path: '/api/chat',
      maxBodyBytes: MAX_BODY_BYTES,
      streams: true,
      answer: exchange => postChat(site, exchange),
    },
    { methods: ['GET'], path: '/api/chat/:id/stream', streams: true, answer: exchange => resumeChat(site, exchange) },
    { methods: ['GET'], path: '/api/chat/:id/messages', answer: exchange => showChat(site, exchange) },
  ]
  return { routes: routes.map(route => ({ ...route, refuse })) }
}

function refuse({ status, detail, hint, headers = {} }: Problem): Response {
  const text = hint ? `${detail} ${hint}` : detail
  return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
}
