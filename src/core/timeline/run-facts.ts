/**
 * One fold of a run's journal for every view of its time: answers of the model, runs of its tools and waits for people,
 * each with its beginning and its end. A view reads the facts and adds nothing to them.
 */
import type { Amount } from '../count.ts'
import type { Decision } from '../hold/decision.ts'
import type { HoldKind } from '../hold/hold.ts'
import type { EventData, EventKind, JournalEvent, JournalledCall } from '../journal/event.ts'
import { usageAfter } from '../run/context/context-state.ts'
import { type CallOutcome, callOutcome } from '../run/outcome/call-outcome.ts'
import type { Profile } from '../run/profile.ts'
import type { CallStatus } from '../run/tool-call.ts'
import { withAnswer } from '../run/usage/cost.ts'
import { NO_USAGE, type RunUsage } from '../run/usage/usage.ts'

export type EventOf<K extends EventKind> = Extract<JournalEvent, { kind: K }>

interface Lasting {
  readonly step: Amount
  /** The event that the fact begins with. An answer begins with the checkpoint before it, and has the place of its end. */
  readonly seq: Amount
  /** ISO time. */
  readonly started_at: string
  /** ISO time; `null` while it lasts. */
  ended_at: string | null
}

/** The model, from the question to the answer. */
export interface ModelFact extends Lasting {
  readonly kind: 'model'
  readonly answer: EventData['model.answered']
}

/** A tool, each time that it ran. */
export interface CallFact extends Lasting {
  readonly kind: 'call'
  readonly call_id: string
  /** With the arguments that run, also if an approver changed them. `null` in a journal that lacks the call. */
  readonly call: JournalledCall | null
  readonly attempt: Amount
  status: CallStatus
  /** The code of its error; `null` if there is none. */
  error: string | null
  /** The exit of the program that it ran; `null` if it ran none, or runs. */
  outcome: CallOutcome | null
}

/** People, from the question to the decision. */
export interface WaitFact extends Lasting {
  readonly kind: 'wait'
  readonly hold_id: string
  readonly hold_kind: HoldKind
  readonly call_id: string | null
  readonly call: JournalledCall | null
  /** The end of it; `null` while it is open. */
  outcome: 'decided' | 'expired' | 'withdrawn' | null
  decision: Decision | null
}

export type RunFact = ModelFact | CallFact | WaitFact

type Cell<K extends EventKind> = (facts: RunFacts, event: EventOf<K>) => RunFact | null

export class RunFacts {
  step = 0
  usage: RunUsage = NO_USAGE
  /** The runtime names a checkpoint right before it asks a model. */
  #askedAt: string
  readonly #calls = new Map<string, JournalledCall>()
  readonly #running = new Map<string, CallFact>()
  readonly #waits = new Map<string, WaitFact>()

  #prices: Profile['prices']

  constructor({ at, data }: EventOf<'run.started'>) {
    this.#askedAt = at
    this.#prices = data.profile.prices
  }

  /** Takes in the run's next event. Returns the fact that begins or ends with it, or that it takes back. */
  apply(event: JournalEvent): RunFact | null {
    return (RunFacts.#cells[event.kind] as Cell<EventKind> | undefined)?.(this, event) ?? null
  }

  static readonly #cells: { readonly [K in EventKind]?: Cell<K> } = {
    'checkpoint.named': (facts, { at }) => {
      facts.#askedAt = at
      return null
    },
    'run.configured': (facts, { data }) => {
      facts.#prices = data.changes.prices ?? facts.#prices
      return null
    },
    'context.compacted': (facts, { data }) => {
      facts.usage = usageAfter(facts.usage, data, facts.#prices)
      return null
    },
    'step.started': (facts, { data }) => {
      facts.step = data.step
      return null
    },
    'model.answered': (facts, { at, seq, data: answer }) => {
      facts.usage = withAnswer(facts.usage, answer, facts.#prices)
      for (const call of answer.calls) facts.#calls.set(call.id, call)
      return { kind: 'model', step: facts.step, seq, started_at: facts.#askedAt, ended_at: at, answer }
    },
    'call.started': (facts, event) => facts.#callStarted(event),
    'call.unclaimed': (facts, { data: { call_id } }) => {
      const fact = facts.#running.get(call_id)
      facts.#running.delete(call_id)
      return fact ?? null
    },
    'call.finished': (facts, event) => facts.#callFinished(event),
    'hold.opened': (facts, event) => facts.#waitOpened(event),
    'hold.decided': (facts, { at, data }) => {
      const fact = facts.#waitEnded({ ...data, at, outcome: 'decided' })
      facts.#edit(data)
      return fact
    },
    'hold.expired': (facts, { at, data }) => facts.#waitEnded({ ...data, at, outcome: 'expired' }),
    'hold.withdrawn': (facts, { at, data }) => facts.#waitEnded({ ...data, at, outcome: 'withdrawn', decision: null }),
  }

  #callStarted({ at, seq, data: { call_id, attempt } }: EventOf<'call.started'>): CallFact {
    const fact: CallFact = {
      ...{ kind: 'call', step: this.step, seq, started_at: at, ended_at: null },
      ...{ call_id, call: this.#calls.get(call_id) ?? null, attempt, status: 'running', error: null, outcome: null },
    }
    this.#running.set(call_id, fact)
    return fact
  }

  /** `null` for a call that was rejected or answered: it never ran. */
  #callFinished({ at, data: { call_id, status, error, output } }: EventOf<'call.finished'>): CallFact | null {
    const fact = this.#running.get(call_id)
    this.#running.delete(call_id)
    this.#calls.delete(call_id)
    const outcome = callOutcome(output, fact?.call?.arguments ?? null)
    if (fact?.ended_at === null) Object.assign(fact, { ended_at: at, status, error: error?.code ?? null, outcome })
    return fact ?? null
  }

  #waitOpened({ at, seq, data: { hold_id, kind, call_id } }: EventOf<'hold.opened'>): WaitFact {
    // A tool that asks while it runs waits from here on: its call goes on when the answer is there.
    const running = call_id === null ? undefined : this.#running.get(call_id)
    if (running?.ended_at === null) Object.assign(running, { ended_at: at, status: 'suspended' })
    const call = call_id === null ? null : (this.#calls.get(call_id) ?? null)
    const fact: WaitFact = {
      ...{ kind: 'wait', step: this.step, seq, started_at: at, ended_at: null },
      ...{ hold_id, hold_kind: kind, call_id, call, outcome: null, decision: null },
    }
    this.#waits.set(hold_id, fact)
    return fact
  }

  #waitEnded(end: Pick<WaitFact, 'hold_id' | 'outcome' | 'decision'> & { readonly at: string }): WaitFact | null {
    const { hold_id, at: ended_at, outcome, decision } = end
    const fact = this.#waits.get(hold_id)
    this.#waits.delete(hold_id)
    return fact ? Object.assign(fact, { ended_at, outcome, decision }) : null
  }

  #edit({ call_id, decision }: EventData['hold.decided']): void {
    const call = call_id === null ? undefined : this.#calls.get(call_id)
    if (call && decision.arguments !== null) this.#calls.set(call.id, { ...call, arguments: decision.arguments })
  }
}
