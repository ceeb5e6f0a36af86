/** The words of a notice about a run that waits for the provider of its model. */
import { visibleLine } from '../text/visible-text.ts'
import type { WaitingRun } from './notice.ts'
import { ABOUT_NO_HOLD, type NoticeText } from './notice-text.ts'

interface Reading {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The time zone of the reader, as its IANA name; `null` for that of this machine. */
  readonly zone: string | null
}

export function runNoticeText({ id, thread_id, agent, outage }: WaitingRun, reading: Reading): NoticeText {
  const title = visibleLine(`${agent} waits for the provider until ${zonedTime(outage.retry_at, reading)}`)
  return {
    ...ABOUT_NO_HOLD,
    ...{ title, act: title },
    words: visibleLine(`${outage.message} Nothing is to do: the run goes on once the provider takes requests.`),
    facts: [
      { label: 'Waits since', value: zonedTime(outage.since, reading) },
      { label: 'Run', value: id },
      { label: 'Session', value: thread_id },
    ],
  }
}

/** `14:05 CET`, with the date if it is another day: `31 Jan, 14:05 CET`. */
function zonedTime(at: string, { now, zone }: Reading): string {
  const timeZone = zone ?? undefined
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short' })
  const time = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const
  const clock = new Intl.DateTimeFormat('en-GB', time).format(new Date(at))
  const date = day.format(new Date(at))
  return date === day.format(new Date(now)) ? clock : `${date}, ${clock}`
}
