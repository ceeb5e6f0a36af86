/** One journal, read as it grows: what may never be in it, whatever happens. */
import { isDeepStrictEqual } from 'node:util'
import { WHY_UNWRITTEN } from '../../src/core/doubt/started-work.ts'
import type { Decision } from '../../src/core/hold/decision.ts'
import type { Hold } from '../../src/core/hold/hold.ts'
import type { JournalEvent } from '../../src/core/journal/event.ts'
import { apply, emptyThread, fold } from '../../src/core/journal/fold.ts'
import { openHolds, type Run, type RunStatus, runStatus, type Thread } from '../../src/core/journal/thread.ts'
import type { ToolCall } from '../../src/core/run/tool-call.ts'
import type { RunRow } from '../../src/ports/store/runs.ts'
import { difference, must, shown } from './broken.ts'
import type { PassedByGrant } from './grant-watch.ts'
import { type HoldEvent, HoldWatch } from './hold-watch.ts'
import type { Effect, Ledger } from './ledger.ts'
import type { Plot } from './plot.ts'
import { UnheardWords } from './unheard-words.ts'

type Of<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>

/** What a journal is compared with. */
export interface Surroundings {
  readonly plot: Plot
  readonly ledger: Ledger
  readonly isDead: (process: string) => boolean
}

export class ThreadWatch {
  readonly events: JournalEvent[] = []
  readonly thread: Thread
  /** By hold. */
  readonly asked: Map<string, HoldWatch> = new Map()
  /** What a grant let pass, and what started by it, by the event that says so. */
  readonly byGrant: Map<number, PassedByGrant> = new Map()
  /** Who said what the agent was told. */
  readonly #authors = new Set<string>()
  readonly #plot: Plot
  #isReclaimed = false
  readonly #ledger: Ledger
  readonly #isDead: (process: string) => boolean
  /** What the model is told of calls that are over and did not succeed. */
  readonly #unsuccessful = new Map<string, Of<'call.finished'>>()
  readonly #words = new UnheardWords()
  #counted: Counted | null = null
  #row: Hold | null = null

  constructor(id: string, { plot, ledger, isDead }: Surroundings) {
    this.thread = emptyThread(id)
    this.#plot = plot
    this.#ledger = ledger
    this.#isDead = isDead
  }

  /** `row` is that of a hold which is opened. */
  take(event: JournalEvent, row: Hold | null = null): void {
    const { run } = this.thread
    this.#row = row
    const isNext = event.kind === 'run.started' || event.kind === 'thread.forked'
    must(isNext || !run?.termination, 'one end', () => `${shown(event)} comes behind the end of its run`)
    const look = this.#looks[event.kind] as ((event: JournalEvent, run: Run | null) => void) | undefined
    look?.(event, run)
    this.#hear(event, run)
    if ('hold_id' in event.data && event.kind !== 'hold.opened')
      this.asked.get(event.data.hold_id)?.take(event as HoldEvent)
    this.#words.take(event)
    this.#blames(event)
    apply(this.thread, event)
    this.events.push(event)
    this.#keepsCount()
  }

  /** What must be true of a run right before an event. */
  readonly #looks: { readonly [K in JournalEvent['kind']]?: (event: Of<K>, run: Run | null) => void } = {
    'hold.opened': (event, run) => run && this.#opened(event, run),
    'plugin.set': (event, run) => this.#countedUp(event, run),
    'call.gated': ({ seq, data: { call_id, grant_id } }, run) => this.#granted(seq, run, { call_id, grant_id }),
    'call.started': (event, run) => run && this.#starts(event, run),
    'call.finished': event => this.#finishedCall(event),
    'checkpoint.named': ({ data: { reason } }, run) => {
      const announces = reason === 'pause' && run !== null
      must(
        !announces || runStatus(run) === 'waiting',
        'pause',
        () => `a pause of a run that is ${run && runStatus(run)}`,
      )
    },
    'run.finished': (event, run) => this.#finished(event, run),
  }

  /** The holds that were opened for a call, oldest first. */
  askedOf(callId: string): HoldWatch[] {
    return [...this.asked.values()].filter(({ opened }) => opened.data.call_id === callId)
  }

  started(callId: string): Of<'call.started'>[] {
    return this.#eventsOf('call.started', callId)
  }

  /** P11: what stands in the journal before the claim keeps a tool from beginning. */
  begins(callId: string): void {
    const claim = this.started(callId).at(-1)
    const isLate = claim !== undefined && this.#words.isBehind(claim.seq)
    must(!isLate, 'unheard', () => `${callId} begins, although ${shown(claim)} stands behind a word to stop`)
  }

  /** A session lives by what the journal says, and by nothing else. */
  livesAs(live: Thread): void {
    must(live.seq <= this.events.length, 'live', () => `a session is at ${live.seq} of ${this.events.length}`)
    const durable = live.seq === this.thread.seq ? this.thread : fold(live.id, this.events.slice(0, live.seq))
    const other = difference(behindSummary(live, live.left_out), behindSummary(durable, live.left_out))
    must(other === null, 'live', () => `what a session lives by is not what is durable at ${live.seq}: ${other}`)
  }

  /** P11: what happens is not told as failed or cancelled, before or behind it. */
  happens({ call_id, tool }: Effect): void {
    const told = this.#unsuccessful.get(call_id)
    if (told) this.#toldTruly(told, tool)
  }

  gated(callId: string): Of<'call.gated'>[] {
    return this.#eventsOf('call.gated', callId)
  }

  #eventsOf<K extends 'call.started' | 'call.gated'>(kind: K, callId: string): Of<K>[] {
    return this.events.filter(
      (event): event is Of<K> => event.kind === kind && (event as Of<'call.gated'>).data.call_id === callId,
    )
  }

  /** Its lease was taken from an owner that is gone, and what that one left undone is still to be done. */
  reclaimed(): void {
    this.#isReclaimed = true
  }

  /** The tables say what the journal says, after each transaction. */
  agreesWith(row: RunRow, open: readonly Hold[]): void {
    const { run } = this.thread
    if (run?.id !== row.id) return
    const ended = (run.termination ?? run.ending)?.type ?? null
    // Where others wrote just then, the row is told of the end a little later.
    const isOnlyEnding = row.ended === null && run.termination === null
    must(row.ended === ended || isOnlyEnding, 'row', () => `the row ended with ${row.ended}, the journal with ${ended}`)
    must((row.status === 'done') === (run.termination !== null), 'row', () => `the row is ${row.status}, ${ended}`)
    const [rows, journal] = [open.map(({ id }) => id), openHolds(run).map(({ id }) => id)]
    must(isDeepStrictEqual(rows.toSorted(), journal.toSorted()), 'holds', () => `rows ${rows}, journal ${journal}`)
    must(ended === null || rows.length === 0 || run.termination === null, 'holds', () => `${rows} open behind the end`)
    this.#restsAs(row, runStatus(run))
    if (row.status === 'waiting') must(rows.length > 0, 'row', () => 'it waits for nothing')
  }

  #restsAs({ lease, status }: RunRow, journal: RunStatus): void {
    if (lease !== null) {
      this.#isReclaimed = false
      return
    }
    // Whose owner could not write that it waits, or is gone, is left to be looked at once more.
    const isLeft = this.#isReclaimed || this.#plot.troubles.failures + this.#plot.troubles.locks > 0
    const lookedAtAgain = status === 'running' && journal === 'waiting' && isLeft
    must(status === journal || lookedAtAgain, 'row', () => `it rests as ${status}, the journal says ${journal}`)
  }

  #opened(event: Of<'hold.opened'>, run: Run): void {
    const { hold_id, call_id, kind, plugin } = event.data
    const before = call_id === null ? [] : this.askedOf(call_id)
    const last = before.at(-1)
    must(!last || last.decided !== null, 'asked twice', () => `${call_id} is held by two holds at once`)
    const call = call_id === null ? undefined : run.step?.calls.get(call_id)
    const since = last?.decided?.seq ?? 0
    if (call && kind === 'in_doubt') this.#doubts(event, call)
    const same = before.find(each => each.opened.data.plugin === plugin && each.released === event.data.digest)
    const ranSince = call_id !== null && this.started(call_id).some(({ seq }) => seq > since)
    const isAgain = same !== undefined && plugin !== null && !ranSince
    must(!isAgain || this.#drifted(same), 'asked twice', () => `${plugin} asks of ${call_id} again: ${shown(event)}`)
    const row = this.#row
    must(row !== null, 'row', () => `${hold_id} was opened and has no row`)
    const opening = { row, args: call?.final_arguments ?? null, requesters: this.#authors }
    this.asked.set(hold_id, new HoldWatch(this.#plot, event, opening))
  }

  /** Nothing is said to be dead that lives. */
  #doubts({ data: { because } }: Of<'hold.opened'>, { id, status }: ToolCall): void {
    // One that a person lets run again is asked about anew while it still runs.
    const isAnew = status === 'resuming' && this.askedOf(id).at(-1)?.opened.data.kind === 'in_doubt'
    must(status === 'running' || isAnew, 'asked twice', () => `${id} did not run`)
    const owner = this.started(id).at(-1)?.data.process ?? ''
    const isSaidDead = because === WHY_UNWRITTEN.ended
    must(!isSaidDead || this.#isDead(owner), 'dead', () => `${owner} lives, and of ${id} is said: ${because}`)
  }

  #hear(event: JournalEvent, run: Run | null): void {
    const heard = event.kind === 'message.delivered' ? (run?.queue.slice(0, event.data.count) ?? []) : []
    const said = event.kind === 'message.received' ? [event.data] : heard
    for (const { author } of said) if (author !== null) this.#authors.add(author)
    const answers = event.kind === 'hold.decided' && event.data.call_id === null && event.data.decision
    if (answers && answers.verdict === 'respond') this.#authors.add(answers.decided_by)
  }

  #granted(seq: number, run: Run | null, { call_id, grant_id }: { call_id: string; grant_id: string | null }): void {
    const call = run?.step?.calls.get(call_id)
    if (!run || !call || grant_id === null) return
    const { name: tool, final_arguments: args } = call
    this.byGrant.set(seq, { grant_id, call_id, tool, args, run_id: run.id, thread_id: this.thread.id })
  }

  #starts(event: Of<'call.started'>, run: Run): void {
    this.#startsInTime(event, run)
    const call = run.step?.calls.get(event.data.call_id)
    if (call?.status === 'new') this.#granted(event.seq, run, { call_id: call.id, grant_id: call.grant_id })
  }

  /** Where processes have other versions of the tools, what is asked may go back and forth. */
  #drifted(_asked: HoldWatch): boolean {
    return this.#plot.drifts
  }

  /** Nothing of a batch begins while one of its holds is open; what was cut off had begun. */
  #startsInTime({ data: { call_id } }: Of<'call.started'>, run: Run): void {
    const calls = [...(run.step?.calls.values() ?? [])]
    const isAgain = calls.some(({ id, status }) => id === call_id && status === 'running')
    const early = this.#plot.holdScope === 'batch' && openHolds(run).length > 0 && !isAgain
    must(!early, 'batch', () => `${call_id} starts while its batch is held`)
    const running = calls.filter(({ id, status }) => id !== call_id && status === 'running').length
    // Of those of a dead process, nobody knows whether they still run.
    const isKnown = Object.values(this.#plot.troubles).every(times => times === 0)
    const isTooMany = isKnown && running >= this.#plot.maxConcurrentCalls
    must(!isTooMany, 'concurrency', () => `${call_id} starts beside ${running} others`)
  }

  #countedUp(event: Of<'plugin.set'>, run: Run | null): void {
    if (event.data.plugin !== 'counter') return
    const before = Number(run?.plugin_states.get('counter') ?? 0)
    must(event.data.state === before + 1, 'plugin state', () => `it was ${before}, then ${event.data.state}`)
  }

  /** P3: nothing is said to have happened that did not. */
  #finishedCall(event: Of<'call.finished'>): void {
    const { call_id, status, output } = event.data
    if (status !== 'succeeded') {
      this.#unsuccessful.set(call_id, event)
      const effect = this.#ledger.effects.find(each => each.call_id === call_id && each.thread_id === this.thread.id)
      if (effect) this.#toldTruly(event, effect.tool)
      return
    }
    const plain = unredacted(output)
    const number = effectIn(plain)
    const { id } = this.thread
    const effect = this.#ledger.effects.find(each => each.number === number && each.thread_id === id)
    if (number !== null) must(effect?.call_id === call_id, 'P3', () => `${call_id} reports effect ${number}`)
    if (number !== null || isDeepStrictEqual(plain, { given: true })) return
    if (typeof plain === 'string' && plain.startsWith(WITHHELD)) {
      const ran = this.#ledger.effects.some(each => each.call_id === call_id && each.thread_id === id)
      must(ran, 'P11', () => `${call_id} is said to have run to its end, and had no effect`)
      return
    }
    const decision = this.askedOf(call_id).at(-1)?.decided?.data.decision
    const vouched =
      decision !== undefined && [decision.value, told(decision)].some(value => isDeepStrictEqual(value, output))
    must(vouched, 'P3', () => `${call_id} succeeded with ${shown(output)}, and nobody said so`)
  }

  #toldTruly({ data: { call_id, status, error } }: Of<'call.finished'>, tool: string): void {
    const isItsOwn = tool === 'failing' && (error?.code === 'TOOL_CALL_FAILED' || error?.code === 'RESULT_WITHHELD')
    const asked = this.askedOf(call_id).at(-1)
    // A person looked, and says that it failed.
    const isSaid = asked?.opened.data.kind === 'in_doubt' && asked.decided?.kind === 'hold.decided'
    const isTrue = isItsOwn || isSaid || MAY_HAVE_HAPPENED.test(error?.message ?? '')
    must(isTrue, 'P11', () => `${call_id} happened, and the model is told that it ${status}: ${shown(error)}`)
  }

  /** Each failure has its owner. */
  #blames({ kind, run_id, data }: JournalEvent): void {
    if (!BLAMING.has(kind)) return
    const [said, plugin] = /plugin (\w+) failed(?!.{0,40}gave no answer)/.exec(JSON.stringify(data)) ?? []
    const isGuilty = plugin === undefined || this.#ledger.threw.has(`${plugin} in ${run_id}`)
    must(isGuilty, 'blame', () => `${said}: no hook of it threw in ${run_id}; ${shown(data)}`)
  }

  #finished({ data: { termination } }: Of<'run.finished'>, run: Run | null): void {
    const { ending = null } = run ?? {}
    must(ending === null || isDeepStrictEqual(ending, termination), 'one end', () => shown([ending, termination]))
    must(openHolds(run as Run).length === 0, 'holds', () => 'the run ends with open holds')
    const cancelled = run?.cancel && termination.type !== 'cancelled' && ending === null
    must(!cancelled, 'cancel', () => `a cancelled run ended with ${shown(termination)}`)
  }

  /** Counters live in the journal: nothing resets them. */
  #keepsCount(): void {
    const { run } = this.thread
    if (!run) return
    const now = { run: run.id, steps: run.steps, tokens: run.usage.total_tokens, ms: run.counters.active_ms }
    const before = this.#counted?.run === run.id ? this.#counted : now
    const kept = now.steps >= before.steps && now.tokens >= before.tokens && now.ms >= before.ms
    must(kept, 'counters', () => `${shown(before)} became ${shown(now)}`)
    this.#counted = now
    for (const condition of this.#plot.stop) {
      if (condition.type === 'max_rounds')
        must(
          run.steps - run.counters.used_before.rounds <= condition.rounds,
          'max_rounds',
          () => `${run.steps} of ${condition.rounds}`,
        )
    }
  }
}

interface Counted {
  readonly run: string
  readonly steps: number
  readonly tokens: number
  readonly ms: number
}

/** What a tool or a model is told of a decision. */
function told({ verdict, arguments: args, value, reason, decided_by }: Decision) {
  return { verdict, arguments: args, value, reason, decided_by }
}

function unredacted(output: unknown): unknown {
  return isObject(output) && 'redacted' in output ? output['redacted'] : output
}

function effectIn(output: unknown): number | null {
  return isObject(output) && 'effect' in output ? Number(output['effect']) : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How the model is told of a call that began. */
const MAY_HAVE_HAPPENED = /may have had its effect|ran to its end/

/** Events that say whose fault something is. */
const BLAMING: ReadonlySet<JournalEvent['kind']> = new Set(['call.finished', 'run.ending', 'run.finished', 'note'])

/** The result of a call whose plugin failed on what its tool returned. */
const WITHHELD = 'It ran to its end; its result is withheld'

/** A session may live by a kept fold, which has no contents in front of the newest summary. */
function behindSummary(thread: Thread, place: number): Thread {
  return { ...thread, messages: thread.messages.slice(place), left_out: 0, kept_to: 0 }
}
