import { RefusedError } from '../../core/errors.ts'
import { includesRole, type Role } from '../../core/people/role.ts'
import { settingRefusals } from '../../core/refusals/setting-refusals.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { eventStream } from '../http/event-stream.ts'
import type { Caller } from '../http/gate.ts'
import type { StreamPlace } from '../http/stream-places.ts'
import { threadOfChat } from '../turns/chat-thread.ts'
import { type Conversation, conversationOf } from '../turns/conversation.ts'
import { type Telling, TurnStream } from './turn-stream.ts'

/** The parts of the face that chats use. */
export interface ChatDeps {
  readonly holdpoint: Holdpoint
  /** The profile of a new run of this agent; `null` for the usual one. @throws RefusedError `unknown_agent` */
  readonly profileOf: (agent: string | null) => Promise<Profile>
}

/** The surface that decisions and messages are signed with. */
export const SURFACE = 'ai-sdk'

/** @throws RefusedError `role_not_sufficient` */
export function requireRole({ name, role }: Caller, needed: Role): void {
  if (includesRole(role, needed)) return
  throw settingRefusals.roleTooLow(name, role, 'this', needed)
}

/** The conversation that a client named; `null` if it has no message yet. */
export async function findChat({ holdpoint }: ChatDeps, chatId: string): Promise<Conversation | null> {
  const threadId = threadOfChat(chatId)
  try {
    return conversationOf(threadId, await holdpoint.journal(threadId))
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_session') return null
    throw thrown
  }
}

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' }

export function streamTurn({ holdpoint }: ChatDeps, place: StreamPlace, telling: Telling): Response {
  const stream = new TurnStream(holdpoint, telling)
  return eventStream(place, signal => framesOf(stream, place, signal), { headers: HEADERS, farewell: () => FAREWELL })
}

async function* framesOf(
  stream: TurnStream,
  place: StreamPlace,
  signal: AbortSignal,
): AsyncGenerator<{ readonly data: unknown } | { readonly text: string }, void, undefined> {
  try {
    for await (const data of stream.chunks(signal)) yield { data }
  } catch (thrown) {
    if (signal.aborted) return
    // An end without a word would have the client post again.
    place.failed(thrown instanceof Error ? thrown : new TypeError(String(thrown)))
    yield { data: { type: 'error', errorText: 'This server failed; its log tells more. The agent may still work.' } }
  }
  if (!signal.aborted) yield { text: '[DONE]' }
}

const FAREWELL = {
  data: { type: 'error', errorText: 'This server ends the connection. The agent works on; load the chat again.' },
}
