import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { JournalEvent } from '../../../src/core/journal/event.ts'
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
  readonly live: Live
}

/** Output of this moment, which the journal does not have yet. */
export interface Live {
  /** The answer of the model so far; empty if there is none. */
  readonly text: string
  /** The end of what running calls have printed, by the id of the call. */
  readonly output: Readonly<Record<string, string>>
}

const NOTHING: Live = { text: '', output: {} }

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

/** A burst of events causes one fetch when it begins, and one after it. */
const SETTLE_MS = 150

function useLive(id: string, isKnown: boolean): Live {
  const queries = useQueryClient()
  const [live, setLive] = useState(NOTHING)
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
        setLive(known => grown(known, event, data))
      },
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [queries, id, isKnown])
  return live
}

/** Adds an event to the output so far. The journal has the whole, so its events end the pieces. */
function grown(live: Live, event: string, data: unknown): Live {
  if (event === 'text.delta') return { ...live, text: live.text + pieceOf<'text.delta'>(data).delta }
  if (event === 'tool_output.delta')
    return { ...live, output: printed(live.output, pieceOf<'tool_output.delta'>(data)) }
  if (event === 'call.finished') return { ...live, output: without(live.output, (data as Finished).data.call_id) }
  return ENDS.includes(event) ? { ...live, text: '' } : live
}

type Piece<K extends Ephemeral['kind']> = Extract<Ephemeral, { kind: K }>['data']
type Finished = Extract<JournalEvent, { kind: 'call.finished' }>

function pieceOf<K extends Ephemeral['kind']>(data: unknown): Piece<K> {
  return (data as { readonly data: Piece<K> }).data
}

/** Length in code units: the rest is in the result. */
const LONGEST_OUTPUT = 8_000

function printed(output: Live['output'], { call_id, delta }: Piece<'tool_output.delta'>): Live['output'] {
  return { ...output, [call_id]: ((output[call_id] ?? '') + delta).slice(-LONGEST_OUTPUT) }
}

function without(output: Live['output'], callId: string): Live['output'] {
  if (!Object.hasOwn(output, callId)) return output
  const { [callId]: _, ...others } = output
  return others
}

const ENDS: readonly string[] = ['model.answered', 'inference.void', 'run.finished']
