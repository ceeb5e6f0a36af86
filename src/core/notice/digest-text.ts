/** Several holds in one message: a line for each, with the way to its page. Each is decided by itself. */
import { whenDue } from '../deadlines/describe-due.ts'
import type { Hold } from '../hold/hold.ts'
import { headline } from '../hold-view/blocks/act-words.ts'
import type { HoldResult } from '../hold-view/hold-result.ts'
import { visibleLine } from '../text/visible-text.ts'
import { ABOUT_NO_HOLD, type DigestLine, type NoticeText, resultOf, riskMark } from './notice-text.ts'

interface Digesting {
  /** Without a slash at its end; `null` without links. */
  readonly baseUrl: string | null
  /** Milliseconds since 1970. */
  readonly now: number
  /** The reader; `null` for the readers of a channel. */
  readonly person: string | null
}

/** A hold of a digest, and what its decision led to. */
interface Asked {
  readonly hold: Hold
  readonly result: HoldResult | null
}

/** Lines of a digest. */
const MOST_LINES = 20

/** The text about several holds at once: what waits, and what failed after it was approved. */
export function digestText(asked: readonly Asked[], digesting: Digesting): NoticeText {
  const open = asked.flatMap(({ hold }) => (hold.status === 'open' ? [hold] : []))
  const groups = [...Map.groupBy(open, sameAct).values()]
  const lines = groups.map(group => digestLine(group, digesting))
  const failures = asked.flatMap(each => failureLine(each, digesting))
  const all = [...failures, ...lines]
  const more = all.length > MOST_LINES ? `And ${all.length - MOST_LINES} more.` : null
  const isOver = open.length === 0
  const title = `${isOver ? `${counted(asked.length)}: all are closed` : waiting(open.length)}${failedIn(failures)}`
  const closed = asked.length - open.length
  return {
    ...ABOUT_NO_HOLD,
    ...{ title, act: title, lines: all.slice(0, MOST_LINES) },
    lead: !isOver && closed > 0 ? `${closed} of ${asked.length} are closed.` : null,
    words: isOver ? 'Nothing is left to decide.' : more,
    outcome: isOver ? 'all are closed' : null,
  }
}

function failedIn({ length }: readonly DigestLine[]): string {
  return length === 0 ? '' : `, ${length} failed`
}

function failureLine({ hold, result }: Asked, { baseUrl, person }: Digesting): DigestLine[] {
  const end = resultOf(hold, { person, result })
  return end?.isFailure ? [lineFor(hold, `${headline(hold)}: ${end.text}`, baseUrl)] : []
}

function sameAct(hold: Hold): string {
  return JSON.stringify([hold.agent, headline(hold), riskMark(hold)])
}

function digestLine(group: readonly Hold[], { baseUrl, now }: Digesting): DigestLine {
  // The first to become due stands for those that ask the same.
  const [first] = group.toSorted((one, other) => dueTime(one) - dueTime(other)) as [Hold]
  const due = first.due_at === null ? [] : [`due ${whenDue(first.due_at, now)}`.replace('due overdue', 'overdue')]
  const equal = group.length === 1 ? [] : [`${group.length} ask the same`]
  const more = [...equal, ...due].join(', ')
  return lineFor(
    first,
    `${riskMark(first)}${first.agent} asks: ${headline(first)}${more === '' ? '' : ` (${more})`}`,
    baseUrl,
  )
}

function lineFor({ id }: Hold, text: string, baseUrl: string | null): DigestLine {
  return { text: visibleLine(text), url: baseUrl && `${baseUrl}/holds/${id}`, hold_id: id }
}

function dueTime({ due_at }: Hold): number {
  return due_at === null ? Number.POSITIVE_INFINITY : Date.parse(due_at)
}

function counted(n: number): string {
  return `${n} ${n === 1 ? 'hold' : 'holds'}`
}

function waiting(n: number): string {
  return `${counted(n)} ${n === 1 ? 'waits' : 'wait'} for you`
}
