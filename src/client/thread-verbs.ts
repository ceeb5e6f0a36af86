import type { HumanMessage } from '../core/journal/human-thread.ts'
import type { CheckpointRow } from '../runtime/views/list-checkpoints.ts'
import { follow } from './follow.ts'
import { newKey } from './new-key.ts'
import type { RemoteThread, RemoteThreads } from './remote-holdpoint.ts'
import { type RunDocument, runOf } from './run-verbs.ts'
import type { Wire } from './wire.ts'

type ThreadDocument = Omit<RemoteThread, 'id' | 'run'> & {
  readonly thread_id: string
  readonly run: RunDocument | null
}

export function threadVerbs(wire: Wire): RemoteThreads {
  return {
    send: (threadId, { author: _, surface: __, replyTo, inputId = newKey('msg'), ...content }, options = {}) => {
      const { whileWaiting, onlyTo } = options
      const body = {
        ...content,
        ...(replyTo !== undefined && { reply_to: replyTo }),
        ...(whileWaiting !== undefined && { while_waiting: whileWaiting }),
        ...(onlyTo !== undefined && { only_to: onlyTo }),
      }
      return wire.ask({ method: 'POST', path: ['threads', threadId, 'messages'], body, key: inputId })
    },
    follow: (threadId, options) => follow(wire, threadId, options),
    messages: async id => (await wire.get<{ messages: HumanMessage[] }>(['threads', id, 'messages'])).messages,
    checkpoints: async id =>
      (await wire.get<{ checkpoints: CheckpointRow[] }>(['threads', id, 'checkpoints'])).checkpoints,
    search: query => wire.get(['search'], { ...query }),
    thread: async threadId => {
      const document = await wire.get<ThreadDocument>(['threads', threadId], { messages: true })
      const { thread_id: id, run, ...thread } = document
      return { id, ...thread, run: run && runOf(run) }
    },
  }
}
