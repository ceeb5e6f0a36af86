/** One hold, from its opening to its one outcome: what people and time may do to it, and when. */
import { isDeepStrictEqual } from 'node:util'
import { type Decision, isForOthers } from '../../src/core/hold/decision.ts'
import type { Hold } from '../../src/core/hold/hold.ts'
import type { JournalEvent } from '../../src/core/journal/event.ts'
import { demandsPeople } from '../../src/core/people/deciders.ts'
import { isNever } from '../../src/core/policy/refused-words.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import { must, shown } from './broken.ts'
import type { Plot } from './plot.ts'
import { DESTRUCTIVE } from './tool-names.ts'
import { decidersOf, mayDecide, type Question, quorumOf } from './who-may.ts'

type Of<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>

export type HoldEvent = Extract<JournalEvent, { data: { hold_id: string } }>

interface Opening {
  readonly row: Hold
  readonly args: HoldWatch['args']
  readonly requesters: Iterable<string>
}

export class HoldWatch {
  readonly opened: Of<'hold.opened'>
  /** The arguments that its call had then. */
  readonly args: JsonObject | string | null
  /** By people or by time. */
  decided: Of<'hold.decided'> | Of<'hold.expired'> | null = null
  readonly votes: Decision[] = []
  readonly #plot: Plot
  /** Whoever had told the agent something by then. */
  readonly #requesters: readonly string[]
  /** Its row, as far as this watch knows what must be in it. */
  #row: Hold

  constructor(plot: Plot, opened: Of<'hold.opened'>, { row, args, requesters }: Opening) {
    this.#plot = plot
    this.#requesters = [...requesters]
    this.opened = opened
    this.args = args
    // It may be withdrawn in the same transaction.
    this.#row = { ...row, status: 'open' }
  }

  get row(): Hold {
    return this.#row
  }

  /** Different people, of whom each approved just this. */
  get approvers(): ReadonlySet<string> {
    const said = this.decided?.kind === 'hold.decided' ? [this.decided.data.decision] : []
    const favours = [...this.votes, ...said].filter(({ verdict }) => verdict === 'approve' || verdict === 'edit')
    return new Set(favours.filter(({ digest }) => digest === said[0]?.digest).map(({ decided_by }) => decided_by))
  }

  /** The digest of what may go on without being asked about again: an edit answers for what it makes of the call. */
  get released(): string | null {
    const { digest } = this.opened.data
    if (this.decided?.kind !== 'hold.decided') return digest
    const { decision } = this.decided.data
    return isForOthers(decision) ? null : (decision.digest ?? digest)
  }

  /** Whether this was recorded, as a decision or as one of several. */
  has(decisionId: string | undefined): boolean {
    const ofPeople = this.decided?.kind === 'hold.decided' ? [this.decided.data.decision] : []
    return [...this.votes, ...ofPeople].some(({ decision_id }) => decision_id === decisionId)
  }

  take(event: HoldEvent): void {
    const { status } = this.#row
    must(status === 'open', 'one outcome', () => `${shown(event)} comes behind the outcome: ${status}`)
    const look = this.#looks[event.kind] as ((event: JournalEvent) => Partial<Hold>) | undefined
    this.#row = { ...this.#row, ...look?.(event) }
  }

  /** What must be true of each event, and what it makes of the row. */
  readonly #looks: { readonly [K in HoldEvent['kind']]?: (event: Of<K>) => Partial<Hold> } = {
    'hold.decided': event => {
      this.#inTime(event)
      this.#allowed(event.data.decision)
      this.#enough(event.data.decision)
      this.decided = event
      return { status: 'decided', decision: event.data.decision, ...this.#voted(event.data.decision) }
    },
    'hold.voted': event => {
      const { decision, have, need } = event.data
      this.#inTime(event)
      this.#allowed(decision)
      must(have === this.votes.length + 1 && have < need, 'quorum', () => `${shown(event)} is vote ${have} of ${need}`)
      must(need === quorumOf(this.#plot, this.#row), 'quorum', () => `${shown(event)} needs ${need}`)
      const [first] = this.votes
      const same = decision.verdict === 'approve' && (!first || first.digest === decision.digest)
      must(same, 'quorum', () => `${shown(decision)} approves something else than ${shown(first)}`)
      this.votes.push(decision)
      return { votes: [...this.votes] }
    },
    'hold.assigned': ({ data: { assignee } }) => ({ assignee }),
    'hold.reminded': event => {
      const { number, remind_at } = event.data
      const { reminded, remind_at: times } = this.#row
      const isNext = number === reminded + 1 && times[reminded] === remind_at
      must(isNext, 'reminders', () => `${shown(event)} follows reminder ${reminded} of ${times}`)
      this.#due(event, remind_at)
      return { reminded: number }
    },
    'hold.escalated': event => {
      const { level, assignee, due_at } = event.data
      const { on_due, escalation, level: before } = this.#row
      const isNext = level === before + 1 && escalation[before]?.assignee === assignee && on_due === 'escalate'
      must(isNext, 'escalation', () => `${shown(event)} follows level ${before} of ${shown(escalation)}`)
      this.#due(event, this.#row.due_at)
      this.#reminded(event)
      return { level, assignee, due_at }
    },
    'hold.expired': event => {
      this.#due(event, this.#row.due_at)
      this.#reminded(event)
      this.#lastWord(event)
      this.decided = event
      return { status: 'expired', decision: event.data.decision }
    },
    'hold.withdrawn': () => ({ status: 'withdrawn' }),
  }

  /** By the clock of the store that recorded it. What time would approve stays with people until that is on record. */
  #inTime(event: JournalEvent): void {
    const { due_at } = this.#row
    const inTime = due_at === null || event.at < due_at || this.#waitsForApproval
    must(inTime, 'in time', () => `${shown(event)} is recorded, due was ${due_at}`)
  }

  get #waitsForApproval(): boolean {
    const { on_due, finally: last, level, escalation } = this.#row
    const wished = on_due === 'escalate' ? last : on_due
    const isLast = on_due !== 'escalate' || level === escalation.length
    return isLast && wished === 'auto_approve' && this.#needsNobody
  }

  /** By the clock of the store that wrote it. */
  #due(event: JournalEvent, time: string | null): void {
    must(time !== null && event.at >= time, 'early', () => `${shown(event)} comes before ${time}`)
  }

  #reminded(event: JournalEvent): void {
    const { remind_at, reminded, due_at } = this.#row
    const next = remind_at[reminded]
    const isLeftOut = next !== undefined && due_at !== null && next <= due_at
    must(!isLeftOut, 'reminders', () => `${shown(event)} comes before the reminder of ${next}`)
  }

  /** What time says, is what was to be said; and what lets something happen is said of what may. */
  #lastWord({ data: { on_due: action, decision } }: Of<'hold.expired'>): void {
    const { on_due, finally: last, level, escalation } = this.#row
    const isLast = on_due !== 'escalate' || level === escalation.length
    must(isLast, 'escalation', () => `it expires at level ${level} of ${escalation.length}`)
    const isNobody = decision.decided_by === 'holdpoint' && decision.grant === null
    must(isNobody, 'P1', () => `time decides in the name of ${decision.decided_by}`)
    if (action !== 'auto_approve' && (decision.verdict === 'reject' || decision.verdict === 'cancel')) return
    const wished = on_due === 'escalate' ? last : on_due
    must(wished === 'auto_approve', 'P1', () => `${shown(this.#row)} is approved by nobody`)
    must(this.#needsNobody, 'P1', () => `${shown(this.#row)} is approved by nobody`)
  }

  get #needsNobody(): boolean {
    const { kind, tool } = this.#row
    // What policy forbids, a person may overrule and nobody else.
    if (isNever(this.opened.data.because)) return false
    const isDecided = kind !== 'input' && demandsPeople(decidersOf(this.#plot, tool))
    // An approval in words may be given by time: it lets no call pass (`approvedInWords`).
    const isSerious = isDecided || DESTRUCTIVE.has(tool ?? '')
    return !isSerious && (kind === 'approval' || kind === 'input')
  }

  #allowed(decision: Decision): void {
    const deciders = decidersOf(this.#plot, this.#row.tool)
    must(
      mayDecide(deciders, this.question, decision),
      'P1',
      () => `${decision.decided_by} may not say ${shown(decision)}`,
    )
    const { grant } = decision
    if (!grant) return
    const mayGrant = !DESTRUCTIVE.has(grant.tool) && quorumOf(this.#plot, this.#row) === 1
    must(mayGrant && !decision.decided_by.startsWith('agent:'), 'P1', () => `${shown(grant)} was given`)
    must(grant.tool === this.#row.tool && grant.agent === 'tester', 'P1', () => `${shown(grant)} is for another tool`)
  }

  /** P1: so many different people approved just this. */
  #enough(decision: Decision): void {
    const quorum = quorumOf(this.#plot, this.#row)
    if (quorum === 1 || (decision.verdict !== 'approve' && decision.verdict !== 'edit')) return
    const all = [...this.votes, decision]
    const people = new Set(all.map(({ decided_by }) => decided_by.replace(/\/.*/, '')))
    must(people.size === quorum && all.length === quorum, 'quorum', () => `${quorum} must approve: ${shown(all)}`)
    const isSame = all.every(
      ({ digest, verdict }) => verdict === 'approve' && isDeepStrictEqual(digest, decision.digest),
    )
    must(isSame, 'quorum', () => `they approve different things: ${shown(all)}`)
  }

  #voted(decision: Decision): Partial<Hold> {
    const isVote = quorumOf(this.#plot, this.#row) > 1 && decision.verdict === 'approve'
    return isVote ? { votes: [...this.votes, decision] } : {}
  }

  get question(): Question {
    const { kind, tool, escalation, level } = this.#row
    return {
      kind,
      tool,
      requesters: this.#requesters,
      escalatedTo: escalation.slice(0, level).map(({ assignee }) => assignee),
    }
  }
}
