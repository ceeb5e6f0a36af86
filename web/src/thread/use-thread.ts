import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Ephemeral } from '../../../src/ports/event-sink.ts'
import { get } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { followStream } from '../api/stream-follower.ts'
import type { Message } from './conversation.ts'

export type ThreadView = Documents['Thread']

interface Conversation {
  readonly thread: ThreadView | undefined
  readonly messages: readonly Message[] | undefined
  readonly error: unknown
  readonly again: () => void
  /** The answer of the model as it comes; empty if none does. */
  readonly live: string
}

/** A conversation as it stands, and as it goes on. */
export function useThread(id: string): Conversation {
  const thread = useQuery({
    queryKey: ['thread', id],
    queryFn: ({ signal }) => get<ThreadView>(`/v1/threads/${id}`, {}, signal),
  })
  const messages = useQuery({
    queryKey: ['messages', id],
    queryFn: ({ signal }) => get<Documents['Messages']>(`/v1/threads/${id}/messages`, {}, signal),
  })
  const live = useLive(id, thread.data !== undefined)
  const again = () => {
    void thread.refetch()
    void messages.refetch()
  }
  return {
    ...{ thread: thread.data, messages: messages.data?.messages as readonly Message[] | undefined },
    ...{ error: thread.error ?? messages.error, again, live },
  }
}

/** A burst of events asks once at its beginning, and once behind it. */
const SETTLE_MS = 150

function useLive(id: string, isKnown: boolean): string {
  const queries = useQueryClient()
  const [live, setLive] = useState('')
  useEffect(() => {
    if (!isKnown) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: ['thread', id] })
        void queries.invalidateQueries({ queryKey: ['messages', id] })
      }, SETTLE_MS)
    }
    const { seq = 0 } = queries.getQueryData<ThreadView>(['thread', id]) ?? {}
    const end = followStream(`/v1/threads/${id}/events?since=${seq}`, {
      onOpen: ask,
      onFrame: ({ id: durable, event, data }) => {
        if (durable !== null) ask()
        setLive(text => grown(text, event, data))
      },
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [queries, id, isKnown])
  return live
}

/** The answer so far, and what this event makes of it. The journal has the whole, so its event ends the pieces. */
function grown(text: string, event: string, data: unknown): string {
  if (event === 'text.delta') return text + (data as Extract<Ephemeral, { kind: 'text.delta' }>).data.delta
  return ENDS.includes(event) ? '' : text
}

const ENDS: readonly string[] = ['model.answered', 'inference.void', 'run.finished']
