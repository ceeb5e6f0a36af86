import { useEffect, useRef, useState } from 'react'
import type { JournalEvent } from '../../../src/core/journal/event.ts'
import type { Ephemeral } from '../../../src/ports/event-sink.ts'
import { followStream } from '../api/stream-follower.ts'

/** Output of this moment, which the journal does not have yet. */
export interface Live {
  /** The answer of the model so far; empty if there is none. */
  readonly text: string
  /** The end of what running calls have printed, by the id of the call. */
  readonly output: Readonly<Record<string, string>>
}

const NOTHING: Live = { text: '', output: {} }

/** A burst of events causes one call of `onGrowth` when it begins, and one after it. */
const SETTLE_MS = 150

/** Follows a thread from the event `since` on; not while that is `null`. `onGrowth`: its journal has more events. */
export function useLive(threadId: string, since: number | null, onGrowth: () => void): Live {
  const [live, setLive] = useState(NOTHING)
  const latest = useRef({ since, onGrowth })
  latest.current = { since, onGrowth }
  const isOn = since !== null
  useEffect(() => {
    if (!isOn) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const tell = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        latest.current.onGrowth()
      }, SETTLE_MS)
    }
    const end = followStream(`/v1/threads/${threadId}/events?since=${latest.current.since}`, {
      onOpen: tell,
      onFrame: ({ id: durable, event, data }) => {
        if (durable !== null) tell()
        setLive(known => grown(known, event, data))
      },
    })
    return () => {
      end()
      clearTimeout(timer)
      setLive(NOTHING)
    }
  }, [threadId, isOn])
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
