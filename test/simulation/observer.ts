/** Looks at the store and at what was seen outside after each turn, and knows what must be true then. */
import { isDeepStrictEqual } from 'node:util'
import type { DueEvent } from '../../src/core/deadlines/next-due.ts'
import type { JournalEvent } from '../../src/core/journal/event.ts'
import { fold } from '../../src/core/journal/fold.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { runView } from '../../src/runtime/views/run-view.ts'
import { AttemptsWatch } from './attempts-watch.ts'
import { Broken, must, shown } from './broken.ts'
import { GrantWatch } from './grant-watch.ts'
import type { Ledger, Seen, Tale } from './ledger.ts'
import { mayHappen } from './may-happen.ts'
import type { Plot } from './plot.ts'
import { type Surroundings, ThreadWatch } from './thread-watch.ts'
import { faultsOf } from './wire.ts'

type Look = { readonly [K in Seen['is']]: (seen: Extract<Seen, { is: K }>) => void | Promise<void> }

export class Observer {
  readonly threads: Map<string, ThreadWatch> = new Map()
  readonly hooks: Map<string, number> = new Map()
  /** What became of decisions, advances and errors, for the report. */
  readonly counts: Map<string, number> = new Map()
  readonly #store: Store
  readonly attempts: AttemptsWatch
  readonly #surroundings: Surroundings
  readonly #ledger: Ledger
  readonly #plot: Plot
  readonly #grants = new GrantWatch()
  /** What sweepers say that they did. */
  readonly #swept = new Set<string>()
  #grown = true
  readonly #watch: Disposable

  constructor(store: Store, surroundings: Surroundings) {
    const { plot, ledger } = surroundings
    this.#store = store
    this.#surroundings = surroundings
    this.#plot = plot
    this.#ledger = ledger
    this.attempts = new AttemptsWatch(plot)
    this.#watch = store.watch(() => {
      this.#grown = true
    })
  }

  /** Rows change without their journals too. @throws Broken */
  async look(wrote: boolean): Promise<void> {
    const grown = this.#grown
    this.#grown = false
    if (grown || wrote) await this.#readJournals()
    for (const seen of this.#ledger.news()) await (this.#looks[seen.is] as (seen: Seen) => void)(seen)
    if (grown || wrote) await this.#compareRows()
  }

  threadOf(id: string): ThreadWatch {
    const known = this.threads.get(id) ?? new ThreadWatch(id, this.#surroundings)
    this.threads.set(id, known)
    return known
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** When all is over. @throws Broken */
  async lookBack(): Promise<void> {
    this.#watch[Symbol.dispose]()
    for (const [id, { events, thread }] of this.threads) {
      const stored = await this.#store.journal(id)
      must(isDeepStrictEqual(stored, events), 'journal', () => `the journal of ${id} was rewritten`)
      must(isDeepStrictEqual(fold(id, stored), thread), 'replay', () => `${id} replays to another state`)
    }
    for (const hold of await this.#store.holds({})) {
      const row = this.threadOf(hold.thread_id).asked.get(hold.id)?.row
      must(isDeepStrictEqual(hold, row), 'P2', () => `the row is ${shown(hold)}, the journal says ${shown(row)}`)
    }
  }

  async #readJournals(): Promise<void> {
    const ids = new Set((await this.#store.runs({})).map(({ thread_id }) => thread_id))
    for (const id of ids) {
      const watch = this.threadOf(id)
      for (const event of await this.#store.journal(id, watch.thread.seq)) {
        const row = event.kind === 'hold.opened' ? await this.#store.hold(event.data.hold_id) : null
        await this.#legally(() => watch.take(event, row))
        this.#grants.take(event)
      }
    }
  }

  async #legally(take: () => void): Promise<void> {
    try {
      take()
    } catch (thrown) {
      throw thrown instanceof Broken ? thrown : new Broken('legal', String(thrown))
    }
  }

  async #compareRows(): Promise<void> {
    for (const row of await this.#store.runs({})) {
      const open = await this.#store.holds({ run_id: row.id, status: 'open' })
      must(row.status !== 'done' || open.length === 0, 'holds', () => `${row.id} is done and has open holds`)
      this.threadOf(row.thread_id).agreesWith(row, open)
    }
  }

  readonly #looks: Look = {
    begun: ({ attempt }) => {
      this.threadOf(attempt.thread_id).begins(attempt.call_id)
      this.attempts.begins(attempt)
    },
    over: ({ attempt }) => this.attempts.ends(attempt),
    flushed: ({ thread }) => {
      this.count('flushes compared')
      this.threadOf(thread.id).livesAs(thread)
    },
    effect: effect => {
      this.count('effects')
      this.threadOf(effect.thread_id).happens(effect)
      mayHappen(effect, this.threadOf(effect.thread_id), {
        plot: this.#plot,
        before: this.#ledger.effects.filter(({ number, key }) => number < effect.number && key === effect.key),
      })
    },
    request: ({ thread_id, messages }) => {
      this.count('model requests')
      const faults = faultsOf(messages)
      must(faults.length === 0, 'P5', () => `${faults.join('; ')} in ${shown(messages)}`)
      const known = this.threadOf(thread_id).thread.messages.slice(0, messages.length)
      must(isDeepStrictEqual(known, messages), 'P4', () => `the model is told what is not durable: ${shown(messages)}`)
    },
    receipt: seen => this.#checkReceipt(seen),
    told: ({ event, tale, place }) => {
      const durable = this.threadOf(event.thread_id).events[event.seq - 1]
      must(isDeepStrictEqual(durable, event), 'P4', () => `${shown(event)} is told and not durable`)
      if (tale) inOrder(tale, place)
    },
    advanced: seen => this.#checkAdvanced(seen),
    followed: ({ event, before }) => {
      this.count('followed events')
      must(event.seq === before + 1, 'follow', () => `${event.seq} follows ${before}`)
      const durable = this.threadOf(event.thread_id).events[event.seq - 1]
      must(isDeepStrictEqual(durable, event), 'follow', () => `${shown(event)} is given and not durable`)
    },
    hook: ({ phase, run_id }) => {
      const name = `${phase} ${run_id}`
      this.hooks.set(name, (this.hooks.get(name) ?? 0) + 1)
    },
    'grants asked': seen => this.#grants.asked(seen),
    reclaimed: ({ run_id }) => this.#reclaimed(run_id),
    revoked: ({ grant_id }) => this.#grants.revoked(grant_id),
    wrote: seen => {
      const used = this.#grants.wrote(seen, this.threadOf(seen.thread_id))
      for (let times = 0; times < used; times += 1) this.count('by a grant that counts')
    },
    swept: ({ happened }) => this.#checkSwept(happened),
    noted: ({ what }) => this.count(what),
    thrown: ({ by, thrown }) => {
      for (const each of thrown instanceof AggregateError ? thrown.errors : [thrown]) this.#checkThrown(by, each)
    },
  }

  async #reclaimed(runId: string): Promise<void> {
    const row = await this.#store.run(runId)
    if (row) this.threadOf(row.thread_id).reclaimed()
  }

  #checkThrown(by: string, thrown: unknown): void {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
    this.count(`${by} threw ${code}`)
    const told = thrown instanceof Error ? thrown.stack : thrown
    if (!EXPECTED.includes(code)) throw new Broken('error', `${by} threw ${told}`)
  }

  #checkReceipt({ said, receipt }: Extract<Seen, { is: 'receipt' }>): void {
    const { outcome, hold } = receipt
    this.count(`decision ${outcome}${receipt.outcome === 'refused' ? `: ${receipt.error.code}` : ''}`)
    const asked = hold && this.threadOf(hold.thread_id).asked.get(hold.id)
    const recorded = asked?.decided?.data.decision.decision_id
    const isMine = asked?.has(said.decision_id) === true
    const isSuccess = outcome === 'recorded' || outcome === 'duplicate'
    must(isMine || !isSuccess, 'P2', () => `${said.decision_id} is ${outcome}, the journal has ${recorded}`)
    // What was refused changed nothing, and what changed something is not refused later.
    must(!isMine || isSuccess, 'P2', () => `${said.decision_id} is ${shown(receipt)}, and the journal has it`)
    if (outcome === 'already_decided') {
      const { decision_id } = receipt.winner
      must(decision_id === recorded, 'P2', () => `${decision_id} won, the journal has ${recorded}`)
    }
  }

  /** What one of them says that it did, it did, and nobody else. */
  #checkSwept(happened: readonly DueEvent[]): void {
    for (const { kind, run_id, data } of happened) {
      this.count(`swept ${kind}`)
      const told = JSON.stringify([kind, data])
      must(!this.#swept.has(told), 'once', () => `${told} happened twice`)
      this.#swept.add(told)
      const is = (event: JournalEvent) => event.kind === kind && isDeepStrictEqual(event.data, data)
      const found = [...this.threads.values()].some(({ events }) => events.some(is))
      must(found, 'P4', () => `${told} of ${run_id} is told and not durable`)
    }
  }

  /** Living it and replaying it come to the same: what an advance ended with is what some part of the journal says. */
  #checkAdvanced({ tale, result }: Extract<Seen, { is: 'advanced' }>): void {
    this.count(`advance ${result.status}`)
    const left = [...tale.open.values()]
    must(left.length === 0, 'P6', () => `an advance of ${tale.run_id} is over, and left ${left.join(', ')}`)
    if (!('messages' in result)) return
    const stopped = tale.signal.aborted || result.status !== 'running'
    must(stopped, 'stuck', () => `an advance ended while there was work: ${shown(result.calls)}`)
    const { events, thread } = this.threadOf(result.thread_id)
    // What was asked before is on the rows of the holds.
    const { holds: _, profile: __, answers: ___, ...lived } = result
    for (let end = events.findLastIndex(({ run_id }) => run_id === result.id) + 1; end > 0; end -= 1) {
      const { holds, profile, answers, ...replayed } = runView(fold(thread.id, events.slice(0, end)), []) ?? NOTHING
      if (isDeepStrictEqual(replayed, lived)) return
    }
    throw new Broken('replay', `no part of the journal says ${shown(lived)}`)
  }
}

const NOTHING = { holds: [], profile: null, answers: [] }

/** What may be thrown to whoever uses the face. */
const EXPECTED: readonly string[] = [
  'lease_lost',
  'injected',
  'store_busy',
  'store_commit_unknown',
  'superseded',
  'run_waiting',
  'run_not_finished',
  'run_done',
  'hold_withdrawn',
  'aborted',
  // To whom it may not be given, and what is not open any more.
  'not_a_decider',
  'hold_not_open',
  // Of those who answer what comes next.
  'hold_overdue',
  'hold_expired',
]

/** P4: in order, each once, and none left out. Decisions that came with the claim are told before all else. */
function inOrder({ told, decisions }: Tale, place: number): void {
  const [previous, event] = [told[place - 1], told[place]]
  if (!previous || !event) return
  const isDecision = previous.kind === 'hold.decided' || previous.kind === 'hold.voted'
  const wasClaimed = isDecision && decisions.has(previous.data.decision.decision_id)
  const follows = wasClaimed ? event.seq > previous.seq : event.seq === previous.seq + 1
  must(follows, 'P4', () => `${shown(event)} is told behind ${shown(previous)}`)
}
