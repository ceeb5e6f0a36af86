import { type ReactElement, useSyncExternalStore } from 'react'
import { durationText } from '../../../src/core/text/duration-text.ts'
import { serverNow } from '../api/clock.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for the page, which stops while no time is shown. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, SECOND)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time of the server in milliseconds, in steps: `SECOND` only while something is counted down. */
export function useNow(step: number = SECOND): number {
  return useSyncExternalStore(subscribe, () => Math.floor(serverNow() / step) * step)
}

/** `now`, `4 min`, `2 h`, `3 d`: short, for a list. */
export function shortAge(ms: number): string {
  if (ms < MINUTE) return 'now'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  return ms < DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`
}

export function Ago({ at }: { readonly at: string }): ReactElement {
  const now = useNow(10 * SECOND)
  const age = shortAge(now - Date.parse(at))
  return (
    <time dateTime={at} title={localTime(at)}>
      {age === 'now' ? 'just now' : `${age} ago`}
    </time>
  )
}

/** `in 2 h 5 min`, `in 41 s`, `overdue`. It counts by the clock of the server. */
export function DueIn({ at }: { readonly at: string }): ReactElement {
  const left = Date.parse(at) - useNow()
  return (
    <time dateTime={at} title={localTime(at)} className={left < HOUR ? 'font-medium text-warn' : ''}>
      {left > 0 ? `due in ${countdown(left)}` : 'overdue'}
    </time>
  )
}

/** `ends in 4:12`: the idle clock of an agent. */
export function EndsIn({ at }: { readonly at: string }): ReactElement {
  const left = Date.parse(at) - useNow()
  return (
    <time dateTime={at} title={localTime(at)}>
      {left > 0 ? `idle for ${countdown(left)} more` : 'idle for too long'}
    </time>
  )
}

function countdown(left: number): string {
  if (left >= HOUR) return durationText(Math.floor(left / MINUTE) * MINUTE)
  const seconds = Math.ceil(left / SECOND)
  return left < 10 * MINUTE ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}` : shortAge(left)
}

export function localTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** `14:02`, or with the day if it was another one. */
export function clockTime(at: string): string {
  const time = new Date(at)
  const isToday = time.toDateString() === new Date(serverNow()).toDateString()
  return time.toLocaleString(undefined, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' })
}
