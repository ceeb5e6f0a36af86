/** The load on people, folded over the audit log. It keeps a few numbers of each hold, and nothing that was asked. */

import type { AuditRecord } from '../audit/audit.ts'
import type { Hold } from '../hold/hold.ts'
import { isAgentActor } from '../people/agent-actor.ts'
import { durationsOf } from './durations.ts'
import type { LoadBucket, LoadReport, Noteworthy, PersonLoad, ToolLoad } from './load-report.ts'
import { type Span, type TimeBuckets, timeBuckets } from './time-buckets.ts'

/** A decider who is faster cannot have read the call. */
const TOO_QUICK_MS = 2_000
const MOST_NAMED = 20
const HOUR_MS = 3_600_000

interface Look {
  readonly at: number
  readonly by: string
  readonly inFull: boolean
}

interface FoldedHold {
  readonly id: string
  readonly tool: string | null
  readonly openedAt: number
  /** It was opened in the time of the report. */
  isNew: boolean
  status: 'open' | 'decided' | 'expired' | 'withdrawn'
  readonly looks: Look[]
}

type Answered = 'approved' | 'rejected' | 'answered' | 'other'

interface Decided {
  readonly hold: FoldedHold
  readonly at: number
  readonly by: string
  readonly how: Answered
  /** One of several approvals: the hold may still be open. */
  readonly isVote: boolean
}

const HOW: Readonly<Record<string, Answered>> = {
  approve: 'approved',
  edit: 'approved',
  reject: 'rejected',
  respond: 'answered',
}

export class LoadFold {
  readonly #holds = new Map<string, FoldedHold>()
  readonly #decided: Decided[] = []

  knows(holdId: string): boolean {
    return this.#holds.has(holdId)
  }

  /** `row` is the hold that the record names; `null` if it was pruned. */
  take(record: AuditRecord, row: Pick<Hold, 'tool' | 'opened_at'> | null): void {
    const { hold_id, kind } = record
    if (hold_id === null) return
    const at = Date.parse(record.at)
    const hold = this.#holds.get(hold_id) ?? newHold(hold_id, row, at)
    this.#holds.set(hold_id, hold)
    TAKE[kind]?.(hold, record, at)
    if ((kind === 'hold.decided' || kind === 'hold.voted') && record.actor !== null)
      this.#decided.push({
        hold,
        at,
        by: record.actor,
        how: HOW[String(record.data['verdict'])] ?? 'other',
        isVote: kind === 'hold.voted',
      })
  }

  report({ since, until }: Span): Omit<LoadReport, 'rules'> {
    const buckets = timeBuckets({ since, until })
    const holds = [...this.#holds.values()]
    const isStatus = (status: FoldedHold['status']) => holds.filter(each => each.status === status)
    const approved = this.#decided.filter(({ how, by }) => how === 'approved' && !isAgentActor(by))
    const ended = this.#decided.filter(({ isVote }) => !isVote)
    return {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      holds: {
        opened: holds.filter(({ isNew }) => isNew).length,
        decided: isStatus('decided').length,
        expired: isStatus('expired').length,
        withdrawn: isStatus('withdrawn').length,
        open: isStatus('open').filter(({ isNew }) => isNew).length,
      },
      seconds_to_decide: durationsOf(ended.map(secondsOf)),
      expired_unseen: named(isStatus('expired').filter(({ looks }) => looks.length === 0)),
      approved_within_2s: named(approved.filter(isQuick).map(({ hold }) => hold)),
      approved_not_to_the_end: named(approved.filter(isCutShort).map(({ hold }) => hold)),
      approved_unseen: named(approved.filter(isUnseen).map(({ hold }) => hold)),
      over_time: { bucket_seconds: buckets.seconds, buckets: overTime(buckets, holds, ended) },
      people: peopleOf(this.#decided, buckets),
      tools: toolsOf(holds, ended, buckets),
    }
  }
}

const TAKE: Partial<Record<AuditRecord['kind'], (hold: FoldedHold, record: AuditRecord, at: number) => void>> = {
  'hold.opened': hold => {
    hold.isNew = true
  },
  'hold.shown': (hold, { actor, data }, at) => {
    if (actor !== null && !isAgentActor(actor)) hold.looks.push({ at, by: actor, inFull: data['in_full'] === true })
  },
  'hold.decided': hold => {
    hold.status = 'decided'
  },
  'hold.expired': hold => {
    hold.status = 'expired'
  },
  'hold.withdrawn': hold => {
    hold.status = 'withdrawn'
  },
}

function newHold(id: string, row: Pick<Hold, 'tool' | 'opened_at'> | null, at: number): FoldedHold {
  const openedAt = row === null ? at : Date.parse(row.opened_at)
  return { id, tool: row?.tool ?? null, openedAt, isNew: false, status: 'open', looks: [] }
}

function secondsOf({ hold, at }: Decided): number {
  return Math.max(0, at - hold.openedAt) / 1000
}

/** The looks of the decider, up to the decision. */
function looksOf({ hold, by, at }: Decided): readonly Look[] {
  return hold.looks.filter(look => look.by === by && look.at <= at)
}

function isQuick(decided: Decided): boolean {
  const first = looksOf(decided)[0]
  return first !== undefined && decided.at - first.at <= TOO_QUICK_MS
}

function isCutShort(decided: Decided): boolean {
  const looks = looksOf(decided)
  return looks.length > 0 && looks.every(({ inFull }) => !inFull)
}

function isUnseen(decided: Decided): boolean {
  return looksOf(decided).length === 0
}

function named(holds: readonly FoldedHold[]): Noteworthy {
  return { count: holds.length, hold_ids: holds.slice(-MOST_NAMED).map(({ id }) => id) }
}

function overTime(
  { starts, countIn }: TimeBuckets,
  holds: readonly FoldedHold[],
  decided: readonly Decided[],
): readonly LoadBucket[] {
  const opened = countIn(openings(holds))
  const ended = countIn(decided.map(({ at }) => at))
  return starts.map((at, index) => ({ at, opened: opened[index] ?? 0, decided: ended[index] ?? 0 }))
}

function openings(holds: readonly FoldedHold[]): readonly number[] {
  return holds.filter(({ isNew }) => isNew).map(({ openedAt }) => openedAt)
}

function countBy<K>(keys: readonly K[]): ReadonlyMap<K, number> {
  const counts = new Map<K, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

function peopleOf(decided: readonly Decided[], buckets: TimeBuckets): PersonLoad[] {
  const byPerson = Map.groupBy(decided, ({ by }) => by)
  return [...byPerson]
    .map(([person, own]) => personLoad(person, own, buckets))
    .toSorted((a, b) => b.decided - a.decided)
}

function personLoad(person: string, own: readonly Decided[], { countIn }: TimeBuckets): PersonLoad {
  const hours = countBy(own.map(({ at }) => Math.floor(at / HOUR_MS)))
  const seconds_to_decide = durationsOf(own.map(secondsOf))
  if (seconds_to_decide === null) throw new TypeError('a person without decisions has no load')
  const approved = own.filter(({ how }) => how === 'approved')
  return {
    person,
    decided: own.length,
    ...answersIn(own),
    per_hour: own.length / hours.size,
    busiest_hour: Math.max(...hours.values()),
    seconds_to_decide,
    approved_within_2s: approved.filter(isQuick).length,
    approved_not_to_the_end: approved.filter(isCutShort).length,
    approved_unseen: approved.filter(isUnseen).length,
    decided_over_time: countIn(own.map(({ at }) => at)),
  }
}

function answersIn(decided: readonly Decided[]): Record<Exclude<Answered, 'other'>, number> {
  const count = (how: Answered) => decided.filter(each => each.how === how).length
  return { approved: count('approved'), rejected: count('rejected'), answered: count('answered') }
}

function toolsOf(holds: readonly FoldedHold[], decided: readonly Decided[], { countIn }: TimeBuckets): ToolLoad[] {
  const byTool = Map.groupBy(decided, ({ hold }) => hold.tool)
  const load = ([tool, own]: [string | null, FoldedHold[]]): ToolLoad => ({
    tool,
    opened: own.filter(({ isNew }) => isNew).length,
    ...answersIn(byTool.get(tool) ?? []),
    expired: own.filter(({ status }) => status === 'expired').length,
    seconds_to_decide: durationsOf((byTool.get(tool) ?? []).map(secondsOf)),
    opened_over_time: countIn(openings(own)),
  })
  return [...Map.groupBy(holds, ({ tool }) => tool)].map(load).toSorted((a, b) => b.opened - a.opened)
}
