import { useQuery, useQueryClient } from '@tanstack/react-query'
import { get } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { type Live, useLive } from '../live/use-live.ts'
import type { Message } from './conversation.ts'

export type ThreadView = Documents['Thread']

interface Conversation {
  readonly thread: ThreadView | undefined
  readonly messages: readonly Message[] | undefined
  readonly error: unknown
  readonly again: () => void
  readonly live: Live
}

/** A conversation, and its live events. */
export function useThread(id: string): Conversation {
  const thread = useQuery({
    queryKey: ['thread', id],
    queryFn: ({ signal }) => get<ThreadView>(`/v1/threads/${id}`, {}, signal),
  })
  const messages = useQuery({
    queryKey: ['messages', id],
    queryFn: ({ signal }) => get<Documents['Messages']>(`/v1/threads/${id}/messages`, {}, signal),
  })
  const queries = useQueryClient()
  const live = useLive(id, thread.data?.seq ?? null, () => {
    void queries.invalidateQueries({ queryKey: ['thread', id] })
    void queries.invalidateQueries({ queryKey: ['messages', id] })
  })
  const again = () => {
    void thread.refetch()
    void messages.refetch()
  }
  return {
    ...{ thread: thread.data, messages: messages.data?.messages as readonly Message[] | undefined },
    ...{ error: thread.error ?? messages.error, again, live },
  }
}
