/** Properties of journals that could have been lived, by a random choice of what happens next, and of broken ones. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/runs.ts'
import {
  aCall,
  aDecision,
  aJournal,
  anEvent,
  aProfile,
  EVENT_KINDS,
  tokens,
} from '../../testing/contracts/sample-journal.ts'
import { checkAnthropicOrder, checkOpenAiOrder } from '../../testing/kit/provider-order.ts'
import { sentMessages } from '../context/sent-messages.ts'
import { DEADLINE } from '../deadlines/next-due.ts'
import { CorruptJournalError } from '../errors.ts'
import { FOLD_VERSION, goOn, lightFold } from '../folds/kept-fold.ts'
import { approvalKey, REQUEST_APPROVAL } from '../hold/approval-request.ts'
import type { Decision, DecisionVerdict } from '../hold/decision.ts'
import { type HoldKind, RESUME_MODES, type ResumeMode } from '../hold/hold.ts'
import { MAY_SAY } from '../hold/objection.ts'
import { releaseOf } from '../hold/release.ts'
import { contentText } from '../message/part-words.ts'
import type { FinalAction } from '../people/due.ts'
import { NO_COUNTERS } from '../run/stop-condition.ts'
import { type CallStatus, isFinal, MAY_BECOME } from '../run/tool-call.ts'
import type { JsonObject } from '../text/json.ts'
import type { EventData, EventKind, JournalEvent, NewEvent } from './event.ts'
import { apply, emptyThread, fold } from './fold.ts'
import type { Message } from './message.ts'
import { type AdvanceContext, nextMove } from './next-move.ts'
import { openHolds, type Run, runStatus, type Thread } from './thread.ts'

type CallHoldKind = Exclude<HoldKind, 'input'>
type Act = () => void

interface PaperHold {
  readonly id: string
  readonly kind: HoldKind
  readonly mode: ResumeMode
  decision: Decision | null
}

interface PaperCall {
  status: CallStatus
  attempt: number
  /** The status before it was claimed, for a process that is stopped before it begins. */
  claimedFrom?: CallStatus | null
  allowed: boolean
  grant: string | null
  hold: PaperHold | null
  /** What somebody put in place of its arguments. */
  edited?: JsonObject
  readonly name: string
}

interface PaperApproval {
  readonly hold: string
  usedBy: string | null
}

/** Everything that may be said to a hold. */
const DECISIONS = (Object.keys(MAY_SAY) as HoldKind[]).flatMap(kind =>
  (Object.keys(MAY_SAY[kind]) as DecisionVerdict[])
    .filter(verdict => MAY_SAY[kind][verdict])
    .map(verdict => ({ kind, verdict })),
)

/** Everything that may become of a hold that nobody decided, and as what it is decided then. */
const EXPIRIES: Record<HoldKind, readonly FinalAction[]> = {
  approval: ['cancel', 'reject', 'auto_approve'],
  question: ['cancel', 'reject'],
  input: ['cancel', 'auto_approve'],
  client_tool: ['cancel', 'reject'],
  in_doubt: ['cancel'],
}

const BY_NOBODY: Record<FinalAction, DecisionVerdict> = { cancel: 'cancel', reject: 'reject', auto_approve: 'approve' }

/** What may be said of a hold, or happen to it, and leaves it open. */
const ASIDES = ['hold.voted', 'hold.unclear', 'hold.assigned', 'hold.reminded', 'hold.escalated'] as const

/** What a reader would write on paper: just enough to know what may come next, and what must be true in the end. */
class Paper {
  readonly events: NewEvent[] = []
  /** How many events there were each time when something was complete: what others read lies between two of these. */
  readonly moments: number[] = []
  /** What was tried, to see that all of it is. */
  readonly tried: string[] = []
  run = 0
  over = true
  ending = false
  steps = 0
  tokens = 0
  messages = 0
  concluding = false
  unfinished: 'length' | 'pause_turn' | null = null
  forced = 0
  cancelled: string | null = null
  readonly approvals = new Map<string, PaperApproval>()
  readonly queue: string[] = []
  readonly open = new Map<string, PaperHold>()
  readonly calls = new Map<string, PaperCall>()
  inStep = false
  isOwed = false
  #names = 0

  live(choices: readonly number[]): this {
    for (const choice of choices) {
      const possible = this.possible()
      possible[choice % possible.length]?.()
      this.moments.push(this.events.length)
    }
    return this
  }

  write<K extends EventKind>(kind: K, data: Partial<EventData[K]> = {}): void {
    this.tried.push(kind)
    this.events.push(anEvent(kind, data, `run_${this.run}`))
  }

  turn(call: PaperCall, status: CallStatus): void {
    this.tried.push(`${call.status} ${status}`)
    call.status = status
  }

  name(prefix: string): string {
    this.#names += 1
    return `${prefix}_${this.#names}`
  }

  pick<T>(from: readonly T[]): T {
    return from[this.events.length % from.length]!
  }

  /** Everything that may happen now, what brings the run on more often. */
  possible(): readonly Act[] {
    if (this.run === 0) return [() => this.start()]
    if (this.over) return [() => this.start(), () => this.start(), () => this.aside()]
    if (this.ending) return [() => this.interrupt(), ...this.close(), ...this.close()]
    const work = this.inStep ? this.inTheStep() : this.betweenSteps()
    return [() => this.interrupt(), ...work, ...work]
  }

  /** What others write, what changes nothing about calls, and an end that comes at once. */
  interrupt(): void {
    const acts = [() => this.aside(), () => this.configure(), () => this.say(), () => this.supersede()]
    const last = this.ending ? [] : [() => this.end()]
    this.pick([...acts, ...acts, () => this.cancel(), ...last])()
  }

  start(): void {
    this.run += 1
    const carried = this.run % 2 === 0
    if (!carried) [this.steps, this.tokens] = [0, 0]
    Object.assign(this, { over: false, ending: false, concluding: false, unfinished: null, cancelled: null, forced: 0 })
    this.approvals.clear()
    this.write('run.started', {
      profile: aProfile({ hold_scope: this.pick(['batch', 'call']), max_concurrent_calls: 1 + (this.run % 3) }),
      carried: carried
        ? { run_id: 'run_1', steps: this.steps, usage: tokens(this.tokens), counters: NO_COUNTERS }
        : null,
    })
    this.hear(1)
    this.write('message.received', { content: this.name('said') })
    if (this.run % 2 === 1) this.write('phase.passed')
  }

  hear(count: number): void {
    this.messages += count
    this.concluding = false
    this.unfinished = null
    this.isOwed = true
  }

  aside(): void {
    const asides: Act[] = [
      () => this.write('note'),
      () => this.write('checkpoint.named', { checkpoint_id: this.name('cp'), active_ms: this.events.length }),
    ]
    if (!this.over) asides.push(() => this.write('plugin.set', { state: { n: this.events.length } }))
    this.pick(asides)()
  }

  configure(): void {
    const changes = this.pick([{ workdir: `/${this.name('dir')}` }, { instructions: 'Go.' }])
    this.write('run.configured', { changes })
    const unstarted = [...this.calls.values()].filter(({ status }) => status === 'new')
    for (const call of this.calls.values()) call.claimedFrom = null
    for (const call of 'workdir' in changes ? unstarted : []) call.allowed = false
  }

  say(): void {
    this.queue.push(this.name('queued'))
    this.write('message.queued', { content: this.queue.at(-1)! })
  }

  supersede(): void {
    if (this.inStep) this.tried.push('superseded')
    this.withdrawAll()
    this.queue.push(this.name('instead'))
    this.write('message.queued', { content: this.queue.at(-1)!, supersede: true })
  }

  cancel(): void {
    this.withdrawAll()
    this.cancelled ??= 'ana'
    this.write('cancel.requested')
  }

  withdrawAll(): void {
    for (const hold_id of this.open.keys()) this.write('hold.withdrawn', { hold_id })
    this.open.clear()
  }

  end(): void {
    this.ending = true
    this.write('run.ending')
  }

  /** What is left to do for a run whose end is certain. */
  close(): readonly Act[] {
    const call = [...this.calls].find(([, { status }]) => this.inStep && !isFinal(status))
    if (call) return [() => this.finishCall(call[0], 'cancelled')]
    if (this.inStep) return [() => this.endStep()]
    if (this.open.size > 0) return [() => this.withdrawAll()]
    return [() => this.finish()]
  }

  finish(): void {
    this.over = true
    this.write('run.finished')
  }

  betweenSteps(): readonly Act[] {
    const [hold] = this.open.values()
    if (hold?.kind === 'input') {
      const decide = () => this.decideText(hold)
      return [decide, decide, () => this.expireText(hold), () => this.sayOf(hold, null)]
    }
    // Left behind by a call that was over before it was decided.
    if (hold) return [() => this.withdrawAll()]
    const deliver = this.queue.length > 0 ? [() => this.deliver()] : []
    const next = this.isOwed
      ? [
          () => this.answer(),
          () => this.answer(),
          () => this.write('context.repaired'),
          () => this.write('model.unavailable'),
          () => this.write('model.switched'),
          () => this.write('context.compacted'),
          () => this.write('compaction.requested'),
        ]
      : [() => this.askForText(), () => this.force(), () => this.finish()]
    const again = this.concluding && this.unfinished ? [() => this.askAgain()] : []
    return [...deliver, ...again, ...next, ...next]
  }

  deliver(): void {
    const count = 1 + (this.events.length % this.queue.length)
    this.queue.splice(0, count)
    this.hear(count)
    this.forced = 0
    this.write('message.delivered', { count })
  }

  force(): void {
    this.forced += 1
    this.hear(1)
    this.write('message.received', { content: 'Go on.', forced_by: 'plugin' })
  }

  askAgain(): void {
    this.messages += 1
    Object.assign(this, { concluding: false, isOwed: true })
    this.write('answer.asked_again', { because: this.unfinished! })
  }

  answer(): void {
    this.steps += 1
    this.tokens += this.steps
    const ids = Array.from({ length: this.events.length % 4 }, () => this.name('call'))
    const text = this.steps % 3 === 0 ? '' : `answer ${this.steps}`
    const forced_by = this.steps % 5 === 0 ? 'plugin' : null
    this.unfinished = forced_by ? null : this.pick([null, null, 'length', 'pause_turn'])
    this.calls.clear()
    const calls = ids.map((id, index) => this.request(id, index))
    for (const { id, name } of calls)
      this.calls.set(id, { status: 'new', hold: null, attempt: 0, allowed: false, grant: null, name })
    if (text !== '' || ids.length > 0) this.messages += 1
    Object.assign(this, { inStep: true, concluding: false, isOwed: text === '' && ids.length === 0 })
    if (forced_by) this.forced += 1
    this.write('step.started', { step: this.steps })
    this.write('model.answered', {
      text,
      calls,
      usage: tokens(this.steps),
      forced_by,
      ...(this.unfinished && { unfinished: this.unfinished }),
    })
  }

  /** Every other call asks for approval in words. */
  request(id: string, index: number): ReturnType<typeof aCall> {
    return index % 2 === 0 ? aCall(id) : aCall(id, { name: REQUEST_APPROVAL, arguments: { action: id, details: {} } })
  }

  inTheStep(): readonly Act[] {
    const open = [...this.calls].filter(([, { status }]) => !isFinal(status))
    return open.length === 0 ? [() => this.endStep()] : open.flatMap(([id, call]) => this.aboutTheCall(id, call))
  }

  endStep(): void {
    this.messages += this.calls.size
    this.concluding = this.calls.size === 0 || this.unfinished === 'length'
    if (this.calls.size > 0) this.isOwed = true
    this.inStep = false
    this.write('step.ended', { step: this.steps })
  }

  aboutTheCall(id: string, call: PaperCall): readonly Act[] {
    const finish = () => this.finishCall(id, this.pick(['succeeded', 'failed', 'cancelled']))
    const start = () => this.startCall(id, call)
    const hold = (kind?: CallHoldKind) => () => this.hold(id, call, kind)
    if (call.status === 'new') {
      const gate = () => this.gate(id, call)
      return call.allowed ? [start, start, hold(), finish] : [gate, gate, hold(), finish]
    }
    // Cut off, it runs again or somebody is asked; and a tool may suspend itself.
    if (call.status === 'running')
      return [finish, start, hold(), hold('in_doubt'), ...this.endsOfClaim(id, call, finish)]
    if (call.status === 'resuming') return [this.mayRun(call) ? start : finish, hold(), finish]
    const isOpen = call.hold !== null && this.open.has(call.hold.id)
    const giveUp = () => this.finishCall(id, 'cancelled')
    if (!isOpen) return [giveUp, hold()]
    const decide = () => this.decide(id, call)
    const aside = () => this.sayOf(call.hold!, id)
    return [decide, decide, () => this.expire(id, call), aside, giveUp]
  }

  /** What was approved in words, or a grant, may be what lets it pass. */
  gate(id: string, call: PaperCall): void {
    const covering = [...this.approvals.values()].find(({ usedBy }) => (usedBy ?? id) === id)
    if (covering) covering.usedBy = id
    call.allowed = true
    call.grant = this.pick([null, 'grant_1'])
    this.tried.push(covering ? 'covered' : 'not covered')
    this.write('call.gated', { call_id: id, grant_id: call.grant, approval_id: covering?.hold ?? null })
  }

  mayRun({ hold }: PaperCall): boolean {
    return !!hold?.decision && releaseOf(hold.kind as CallHoldKind, hold.decision, hold.mode).act === 'run'
  }

  startCall(id: string, call: PaperCall): void {
    call.attempt += 1
    call.claimedFrom = call.status
    this.turn(call, 'running')
    this.write('call.started', { call_id: id, attempt: call.attempt })
  }

  endsOfClaim(id: string, call: PaperCall, finish: Act): readonly Act[] {
    const cutOff = () => this.write('call.cut_off', { call_id: id })
    return [finish, cutOff, call.claimedFrom ? () => this.giveBack(id, call) : finish]
  }

  giveBack(id: string, call: PaperCall): void {
    call.attempt -= 1
    call.status = call.claimedFrom!
    call.claimedFrom = null
    this.write('call.unclaimed', { call_id: id, status: call.status })
  }

  /** A call that is cancelled while somebody is asked leaves its hold as it is. */
  finishCall(id: string, status: 'succeeded' | 'failed' | 'cancelled'): void {
    this.turn(this.calls.get(id)!, status)
    const error = status === 'succeeded' ? null : { code: 'TEST', message: `${id} is ${status}` }
    this.write('call.finished', { call_id: id, status, output: error ? null : `output of ${id}`, error })
  }

  hold(id: string, call: PaperCall, kind: CallHoldKind = this.pick(['approval', 'question', 'client_tool'])): void {
    this.turn(call, 'suspended')
    call.hold = { id: this.name('hold'), kind, mode: this.pick(RESUME_MODES), decision: null }
    this.open.set(call.hold.id, call.hold)
    this.write('hold.opened', {
      hold_id: call.hold.id,
      kind,
      call_id: id,
      digest: `sha256:${id}`,
      resume_mode: call.hold.mode,
    })
  }

  decide(id: string, call: PaperCall): void {
    const hold = call.hold!
    this.turn(call, 'resuming')
    hold.decision = this.decision(hold.kind)
    this.open.delete(hold.id)
    this.keepApproval(id, call, hold)
    this.write('hold.decided', { hold_id: hold.id, call_id: id, decision: hold.decision })
  }

  keepApproval(id: string, call: PaperCall, { id: hold, kind, decision }: PaperHold): void {
    if (call.name !== REQUEST_APPROVAL || kind !== 'approval') return
    if (decision?.arguments) call.edited = decision.arguments
    const key = approvalKey(call.edited ?? { action: id, details: {} })
    if (decision?.verdict === 'approve' || decision?.verdict === 'edit') this.approvals.set(key, { hold, usedBy: null })
  }

  /** Nobody decided in time. That approves nothing in words: nobody read them. */
  expire(id: string, call: PaperCall): void {
    const hold = call.hold!
    this.turn(call, 'resuming')
    hold.decision = this.expiry(hold, id)
  }

  expireText(hold: PaperHold): void {
    const { verdict } = this.expiry(hold, null)
    if (verdict === 'cancel') this.cancelled ??= DEADLINE.decided_by
  }

  expiry({ id, kind }: PaperHold, call_id: string | null): Decision {
    const on_due = this.pick(EXPIRIES[kind])
    const decision = aDecision(BY_NOBODY[on_due], { decision_id: this.name('dec'), ...DEADLINE })
    this.open.delete(id)
    this.tried.push(`${kind} expired: ${on_due}`)
    this.write('hold.expired', { hold_id: id, call_id, on_due, decision, status: call_id === null ? null : 'resuming' })
    return decision
  }

  sayOf({ id }: PaperHold, call_id: string | null): void {
    this.write(this.pick(ASIDES), { hold_id: id, call_id })
  }

  askForText(): void {
    const hold: PaperHold = {
      id: this.name('hold'),
      kind: 'input',
      mode: 'use_decision_as_tool_result',
      decision: null,
    }
    this.open.set(hold.id, hold)
    this.write('hold.opened', { hold_id: hold.id, kind: 'input', call_id: null, status: null, digest: null })
  }

  decideText({ id }: PaperHold): void {
    const decision = this.decision('input')
    this.open.delete(id)
    if (decision.verdict === 'respond') {
      this.hear(1)
      this.forced = 0
    }
    this.write('hold.decided', { hold_id: id, call_id: null, status: null, decision })
  }

  decision(kind: HoldKind): Decision {
    const { verdict } = this.pick(DECISIONS.filter(decision => decision.kind === kind))
    this.tried.push(`${kind} ${verdict}`)
    return aDecision(verdict, { decision_id: this.name('dec') })
  }
}

const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 100, size: 'max' })
const papers = choices.map(each => new Paper().live(each))
const journals = papers.map(({ events }) => stored(aJournal(events)))

function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

function numbered(events: readonly JournalEvent[]): JournalEvent[] {
  return events.map((event, index) => ({ ...event, seq: index + 1 }))
}

/** The thread as it becomes, event by event: one and the same, changed in place. */
function* living(events: readonly JournalEvent[]): Generator<Thread> {
  const thread = emptyThread('th_1')
  for (const event of events) {
    apply(thread, event)
    yield thread
  }
}

const IDLE: AdvanceContext = { underway: new Set(), active_ms: 0 }
const moveOf = (run: Run | null) => run && nextMove(run, IDLE)

const callsOf = (run: Run) =>
  [...(run.step?.calls.values() ?? [])].map(each => [each.id, each.status, each.attempt, each.allowed, each.grant_id])

const onPaper = ({ calls, inStep }: Paper) =>
  inStep ? [...calls].map(([id, each]) => [id, each.status, each.attempt, each.allowed, each.grant]) : []

describe('a journal that was lived', () => {
  test('folds to what a reader would write on paper', () => {
    fc.assert(
      fc.property(papers, paper => {
        const { seq, messages, run } = fold('th_1', aJournal(paper.events))
        expect(seq).toBe(paper.events.length)
        expect(messages).toHaveLength(paper.messages)
        expect(run).toMatchObject({
          id: `run_${paper.run}`,
          steps: paper.steps,
          usage: tokens(paper.tokens),
          concluding: paper.concluding,
          forced: paper.forced,
          cancel: paper.cancelled === null ? null : { by: paper.cancelled, reason: null },
          termination: paper.over ? { type: 'natural_end' } : null,
        })
        expect(run?.queue.map(({ content }) => content)).toEqual(paper.queue)
        expect(openHolds(run!).map(({ id }) => id)).toEqual([...paper.open.keys()])
        expect(callsOf(run!)).toEqual(onPaper(paper))
        const approvals = [...run!.approvals].map(([key, { hold_id, used_by }]) => [
          key,
          { hold: hold_id, usedBy: used_by },
        ])
        expect(approvals).toEqual([...paper.approvals])
      }),
      { numRuns: runs(500) },
    )
  })

  test('P4: gives when it is replayed from the store what living it gave, at each moment', () => {
    fc.assert(
      fc.property(papers, paper => {
        const [events, living] = [aJournal(paper.events), emptyThread('th_1')]
        for (const [index, event] of events.entries()) {
          apply(living, event)
          if (index % 7 > 0 && index < events.length - 1) continue
          const replayed = fold('th_1', stored(events.slice(0, index + 1)))
          expect(replayed).toStrictEqual(structuredClone(living))
          expect(moveOf(replayed.run)).toStrictEqual(moveOf(living.run))
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('P5: holds nothing that a provider would refuse, whenever the model is asked', () => {
    fc.assert(
      fc.property(journals, events => {
        const thread = emptyThread('th_1')
        for (const event of events) {
          if (event.kind === 'step.started') expect(faultsOf(thread.messages)).toEqual([])
          apply(thread, event)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('rests only where it waits for somebody', () => {
    fc.assert(
      fc.property(papers, paper => {
        const runs = Array.from(living(aJournal(paper.events)), ({ run }) => structuredClone(run!))
        for (const run of paper.moments.map(seq => runs[seq - 1]!)) {
          const { type } = nextMove(run, IDLE)
          expect(type === 'done').toBe(runStatus(run) === 'done')
          if (type === 'wait') expect(runStatus(run)).toBe('waiting')
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('has values that are replaced, never changed', () => {
    fc.assert(
      fc.property(journals, fc.nat(), (events, moment) => {
        const thread = emptyThread('th_1')
        const at = moment % events.length
        for (const event of events.slice(0, at)) apply(thread, event)
        const kept = [
          ...thread.messages,
          ...(thread.run?.step?.calls.values() ?? []),
          ...(thread.run?.holds.values() ?? []),
          ...(thread.run?.queue ?? []),
        ]
        const before = structuredClone(kept)
        for (const event of events.slice(at)) apply(thread, event)
        expect(kept).toStrictEqual(before)
      }),
      { numRuns: runs(200) },
    )
  })

  test('has something of every kind of event, of every move of a call and of every decision', () => {
    const seen = new Map<string, number>()
    const look = ({ tried }: Paper) => {
      for (const what of tried) seen.set(what, (seen.get(what) ?? 0) + 1)
    }
    // The same ones each time: this is about what can be found, not about what is found.
    fc.assert(fc.property(papers, look), { numRuns: 500, seed: 7 })
    const statuses = Object.keys(MAY_BECOME) as CallStatus[]
    const moves = statuses.flatMap(from => statuses.filter(to => MAY_BECOME[from][to]).map(to => `${from} ${to}`))
    const kinds = EVENT_KINDS.filter(kind => kind !== 'thread.forked')
    const expiries = Object.entries(EXPIRIES).flatMap(([kind, all]) => all.map(action => `${kind} expired: ${action}`))
    const decisions = DECISIONS.map(({ kind, verdict }) => `${kind} ${verdict}`)
    const wanted = [...kinds, ...moves, ...decisions, ...expiries, 'superseded', 'covered', 'not covered']
    expect(
      wanted.filter(what => (seen.get(what) ?? 0) < 5),
      JSON.stringify([...seen]),
    ).toEqual([])
  })
})

/** What providers would object to, had they to answer these messages. */
function faultsOf(messages: readonly Message[]): string[] {
  const anthropic: { role: string; content: object[] }[] = []
  for (const { role, content } of messages.map(forAnthropic)) {
    const last = anthropic.at(-1)
    // The results of the calls and whatever is said behind them make one message.
    if (last?.role === role && role === 'user') last.content.push(...content)
    else anthropic.push({ role, content: [...content] })
  }
  return [...openAiFaults(messages), ...checkAnthropicOrder({ messages: anthropic })]
}

const openAiFaults = (messages: readonly Message[]) => checkOpenAiOrder({ messages: messages.map(forOpenAi) })
const asText = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content))

function forOpenAi(message: Message): object {
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.tool_call_id, content: asText(message.content) }
  if (message.role !== 'assistant' || message.tool_calls.length === 0)
    return { role: message.role, content: contentText(message.content) }
  const tool_calls = message.tool_calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: asText(args) },
  }))
  return { role: 'assistant', content: contentText(message.content) || null, tool_calls }
}

function forAnthropic(message: Message): { role: string; content: readonly object[] } {
  const text = (content: string) => (content === '' ? [] : [{ type: 'text', text: content }])
  if (message.role === 'tool') {
    const { tool_call_id: tool_use_id, content, is_error } = message
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id, content: asText(content), is_error }] }
  }
  if (message.role !== 'assistant') return { role: message.role, content: text(contentText(message.content)) }
  const uses = message.tool_calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))
  return { role: 'assistant', content: [...text(contentText(message.content)), ...uses] }
}

const journalAndPlace = fc.tuple(journals, fc.nat()).map(([events, n]) => ({ events, at: n % events.length }))

describe('a fold that was kept', () => {
  const keptAt = (events: readonly JournalEvent[], at: number) => ({
    thread: structuredClone(lightFold(fold('th_1', events.slice(0, at)))),
    at: events[at - 1]!.at,
  })

  test('goes on to the fold of the whole journal, without what is folded into a summary', () => {
    fc.assert(
      fc.property(journalAndPlace, ({ events, at: place }) => {
        const at = Math.max(1, place)
        const thread = goOn(keptAt(events, at), events.slice(at - 1))!
        const whole = fold('th_1', events)
        const { messages, left_out, kept_to, ...rest } = thread
        expect(kept_to).toBe(at)
        expect({ ...rest, messages: [] }).toStrictEqual(structuredClone({ ...without(whole), messages: [] }))
        expect(messages.slice(left_out)).toStrictEqual(structuredClone(whole.messages.slice(left_out)))
        expect(messages.map(({ role }) => role)).toEqual(whole.messages.map(({ role }) => role))
        expect(sent(thread)).toEqual(sent(whole))
      }),
      { numRuns: runs(500) },
    )
  })

  const without = ({ left_out: _, kept_to: __, ...rest }: Thread) => rest
  const sent = ({ messages, context: { compactions } }: Thread) => sentMessages(messages, { compactions, repairs: [] })

  test('is not taken for another journal, nor if an event behind it has a fault', () => {
    const events = aJournal([anEvent('run.started'), anEvent('message.received'), anEvent('step.started')])
    const kept = () => keptAt(events, 2)
    expect(goOn(kept(), events.slice(1))).not.toBeNull()
    expect(goOn(kept(), [])).toBeNull()
    expect(goOn(kept(), events)).toBeNull()
    expect(goOn(kept(), [{ ...events[1]!, at: '2001-01-01T00:00:00.000Z' }])).toBeNull()
    expect(goOn(kept(), [events[1]!, { ...events[2]!, seq: 7 }])).toBeNull()
  })

  /** A change of the fold shows here. Then raise `FOLD_VERSION`, so that no process takes a fold of before, and write both down. */
  test('is of the version that its shape has', () => {
    const shapes = new Set<string>()
    fc.assert(
      fc.property(journals, events => noteShapes(fold('th_1', events), 'thread', shapes)),
      { numRuns: 200, seed: 7 },
    )
    const digest = createHash('sha256')
      .update([...shapes].toSorted().join('\n'))
      .digest('hex')
      .slice(0, 12)
    expect({ version: FOLD_VERSION, digest }).toEqual({ version: 2, digest: 'aac6aded148b' })
  })

  /** The names of the fields of a value, at any depth. */
  function noteShapes(value: unknown, path: string, shapes: Set<string>): void {
    if (typeof value !== 'object' || value === null) shapes.add(`${path}: ${typeof value}`)
    else for (const [name, each] of partsOf(value)) noteShapes(each, `${path}.${name}`, shapes)
  }

  function partsOf(value: object): [name: string, part: unknown][] {
    const items = value instanceof Map || value instanceof Set || Array.isArray(value) ? [...value.values()] : null
    return items?.map(each => ['*', each]) ?? Object.entries(value)
  }
})

describe('a journal that was broken', () => {
  test('by the loss of an event is corrupt, unless it was the last one', () => {
    fc.assert(
      fc.property(journalAndPlace, ({ events, at }) => {
        const rest = events.toSpliced(at, 1)
        if (at < events.length - 1) expect(() => fold('th_1', rest)).toThrow(CorruptJournalError)
        else if (rest.length > 0) expect(fold('th_1', rest).seq).toBe(rest.length)
      }),
      { numRuns: runs(500) },
    )
  })

  test('by an event that is there twice, or in another place, is corrupt', () => {
    fc.assert(
      fc.property(journalAndPlace, ({ events, at }) => {
        const [event, next] = [events[at], events[at + 1]]
        if (!event || !next) return
        expect(() => fold('th_1', events.toSpliced(at, 2, next, event))).toThrow(CorruptJournalError)
        expect(() => fold('th_1', events.toSpliced(at, 0, event))).toThrow(CorruptJournalError)
      }),
      { numRuns: runs(500) },
    )
  })

  /** Numbered anew, so that only what is in the events can tell. */
  const BREAKS: Readonly<Record<string, (events: readonly JournalEvent[], at: number) => JournalEvent[]>> = {
    'the loss of one event': (events, at) => events.toSpliced(at, 1),
    'the loss of some events': (events, at) => events.toSpliced(at, 3),
    'one event twice': (events, at) => events.toSpliced(at, 0, events[at]!),
    'one event twice, far apart': (events, at) => [...events, events[at]!],
    'two events changed over': (events, at) => events.toSpliced(at, 2, ...events.slice(at, at + 2).toReversed()),
    'one event much too early': (events, at) => events.toSpliced(at, 1).toSpliced(Math.floor(at / 2), 0, events[at]!),
  }

  test.each(Object.entries(BREAKS))('by %s is corrupt, or it tells of something that may be', (_how, broken) => {
    fc.assert(
      fc.property(journalAndPlace, ({ events, at }) => {
        const thread = emptyThread('th_1')
        for (const event of numbered(broken(events, at))) {
          if (!isTakenIn(thread, event)) return
          expect(oddities(thread)).toEqual([])
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('by anything at all is corrupt and nothing else, and what is refused changes nothing', () => {
    const wrong = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom({}, null, 'x', 7, [], undefined),
      fc.constantFrom(...EVENT_KINDS).map(kind => anEvent(kind).data),
    )
    const broken = fc.record({
      events: journals,
      at: fc.nat(),
      kind: fc.constantFrom(...EVENT_KINDS),
      name: fc.nat(),
      wrong,
      how: fc.constantFrom('data', 'part', 'kind'),
    })
    fc.assert(
      fc.property(broken, ({ events, at, kind, name, wrong, how }) => {
        const index = at % events.length
        const event = events[index]!
        const names = Object.keys(event.data)
        const part = names[name % Math.max(names.length, 1)] ?? 'x'
        const changed = { data: { data: wrong }, part: { data: { ...event.data, [part]: wrong } }, kind: { kind } }[how]
        const thread = fold('th_1', [...numbered([anOrigin, ...events.slice(0, index)])])
        const before = structuredClone(thread)
        const odd = { ...event, ...changed, seq: thread.seq + 1 } as JournalEvent
        if (!isTakenIn(thread, odd)) expect(thread).toStrictEqual(before)
      }),
      { numRuns: runs(3_000) },
    )
  })
})

/** So that there is a journal before each event of another one. */
const [anOrigin] = aJournal([anEvent('thread.forked')]) as [JournalEvent]

/** False for an event that is refused as it should be. */
function isTakenIn(thread: Thread, event: JournalEvent): boolean {
  try {
    apply(thread, event)
    return true
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(CorruptJournalError)
    expect(thrown).toMatchObject({ code: 'corrupt_journal', message: expect.stringContaining('th_1') })
    return false
  }
}

/** What cannot be, whatever happened before. */
function oddities({ run, messages, call_ids }: Thread): string[] {
  if (!run) return []
  const calls = [...(run.step?.calls.values() ?? [])]
  const answered = messages.filter(({ role }) => role === 'tool').length
  const odd: Record<string, boolean> = {
    'a call is held by no hold': calls.some(
      ({ status, hold_id }) => status === 'suspended' && !run.holds.has(hold_id!),
    ),
    'a call resumes without a decision': calls.some(
      ({ status, hold_id }) => status === 'resuming' && !run.holds.get(hold_id!)?.decision,
    ),
    'a call runs that had no start': calls.some(({ status, attempt }) => status === 'running' && attempt < 1),
    'a call is held twice': calls.some(({ id }) => openHolds(run).filter(({ call_id }) => call_id === id).length > 1),
    'there are results of no call': answered + calls.length !== call_ids.size,
    'a run is over in a step': run.termination !== null && run.step !== null,
    'a run is over while it asks': run.termination !== null && openHolds(run).length > 0,
    'there is no next move': typeof moveOf(run)?.type !== 'string',
    'a provider would refuse it': !run.step && messages.length > 0 && openAiFaults(messages).length > 0,
  }
  return Object.keys(odd).filter(what => odd[what])
}
