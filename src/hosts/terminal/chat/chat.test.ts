import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { NO_CHAT_SETTINGS } from '../../../core/settings/chat-settings.ts'
import type { Io } from '../../process/io.ts'
import type { Conversation, Presence } from '../conversation/conversation.ts'
import { Chat, type ChatScreenDeps } from './chat.ts'

test('a call that began before the chat hears that something runs is shown as running', async () => {
  const written: string[] = []
  using chat = new Chat(aSite(text => written.push(text)))
  const conversation = aConversation([
    event('model.answered', { text: '', calls: [{ id: 'tc_1', name: 'wait', arguments: '{}' }], usage: NO_TOKENS }),
    event('call.started', { call_id: 'tc_1' }),
  ])
  const left = new AbortController()
  const talk = chat.talk(conversation, { since: 0, recalled: 0, signal: left.signal })
  await conversation.heard
  conversation.works()
  await expect.poll(() => written.join('')).toMatch(/[⠁-⠿] wait {2}\{\}/u)
  left.abort()
  await talk
})

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

function event(kind: string, data: object): JournalEvent {
  return { kind, seq: 1, at: new Date().toISOString(), thread_id: 'th_1', run_id: 'run_1', data } as JournalEvent
}

/** A terminal of 80 columns, of which the chat uses what a test needs. */
function aSite(out: (text: string) => void): ChatScreenDeps {
  const io = { out, isTerminal: true, width: () => 80, height: () => 24 } as Partial<Io>
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => {} })
  const settings = async () => NO_CHAT_SETTINGS
  return { io, env: { NO_COLOR: '1' }, stdin, person: 'ana', directory: '.', settings } as unknown as ChatScreenDeps
}

/** One that has these events, and tells later that something runs. */
function aConversation(events: readonly JournalEvent[]): Conversation & { heard: Promise<void>; works(): void } {
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  let listener = () => {}
  let work: Presence['work'] = 'none'
  const conversation: Partial<Conversation> = {
    agent: 'docs',
    model: null,
    async *follow({ signal }) {
      yield* events
      resolve()
      await new Promise(over => signal.addEventListener('abort', over))
    },
    holds: async () => [],
    presence: () => ({ work, role: 'writer', clients: 1 }) as Presence,
    onPresence: added => {
      listener = added
      return { [Symbol.dispose]: () => {} }
    },
  }
  return Object.assign(conversation as Conversation, {
    heard,
    works: () => {
      work = 'here'
      listener()
    },
  })
}
