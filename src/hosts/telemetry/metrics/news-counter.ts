/** Counts what is on record. */
import type { AuditKind, AuditRecord } from '../../../core/audit/audit.ts'
import { VERDICTS } from '../../../core/hold/decision.ts'
import { HOLD_KINDS } from '../../../core/hold/hold.ts'
import type { EventData, JournalEvent } from '../../../core/journal/event.ts'
import { isAgentActor } from '../../../core/people/agent-actor.ts'
import { OUTCOME_OF, type Termination } from '../../../core/run/termination.ts'
import type { HoldStore } from '../../../ports/store/holds.ts'
import { modelLabel } from '../model-label.ts'
import type { News } from '../store-news.ts'
import type { Instruments } from './instruments.ts'

/** A fleet has a few models, and codes are ours: more are a mistake, or an attack on the memory of a server. */
const MOST_MODELS = 50
const MOST_CODES = 50
/** Beside this, only a model ends a run with an error. */
const PLUGIN = 'plugin_failed'

export class NewsCounter {
  readonly #instruments: Instruments
  readonly #store: Pick<HoldStore, 'hold'>
  readonly #model = boundedLabel(MOST_MODELS)
  readonly #code = boundedLabel(MOST_CODES)

  constructor(instruments: Instruments, store: Pick<HoldStore, 'hold'>) {
    this.#instruments = instruments
    this.#store = store
    beginAtZero(instruments)
  }

  async count({ records, events }: News): Promise<void> {
    for (const record of records) {
      this.#byKind[record.kind]?.(record)
      if (ENDED.includes(record.kind)) await this.#timeDecision(record)
    }
    for (const event of [...events.values()].flat()) this.#countEvent(event)
  }

  modelFailed(code: string): void {
    this.#instruments.modelErrors.inc({ code: this.#code(code) })
  }

  get #byKind(): Partial<Record<AuditKind, (record: AuditRecord) => void>> {
    const { holdsOpened, decisions, refusals, runsStarted, runsFinished, toolCalls } = this.#instruments
    const decided = ({ data }: AuditRecord, by: string) => decisions.inc({ verdict: text(data['verdict']), by })
    return {
      'hold.opened': ({ data }) => holdsOpened.inc({ kind: text(data['kind']) }),
      'hold.decided': record => decided(record, isAgentActor(record.actor ?? '') ? 'agent' : 'person'),
      'hold.expired': record => decided(record, 'deadline'),
      'decision.refused': ({ data }) => refusals.inc({ code: this.#code(text(data['code'])) }),
      'run.started': () => runsStarted.inc(),
      'run.finished': ({ data }) => runsFinished.inc({ termination: text(data['type']) }),
      'call.finished': ({ data }) => toolCalls.inc({ status: text(data['status']) }),
    }
  }

  #countEvent({ kind, data }: JournalEvent): void {
    if (kind === 'model.answered') this.#countAnswer(data)
    if (kind === 'run.finished') this.#countFailure(data.termination)
  }

  #countAnswer({ model, usage }: EventData['model.answered']): void {
    const { steps, tokens } = this.#instruments
    const of = (type: string) => ({ type, model: this.#model(modelLabel(model)) })
    steps.inc()
    tokens.inc(of('input'), usage.input_tokens)
    tokens.inc(of('output'), usage.output_tokens)
    tokens.inc(of('cached_input'), usage.cached_input_tokens ?? 0)
  }

  #countFailure(end: Termination): void {
    if (end.type === 'error' && end.code !== PLUGIN) this.modelFailed(end.code)
  }

  async #timeDecision({ hold_id, at }: AuditRecord): Promise<void> {
    const hold = hold_id === null ? null : await this.#store.hold(hold_id)
    // A thread that is pruned takes its holds with it.
    if (hold === null) return
    const ms = Date.parse(at) - Date.parse(hold.opened_at)
    this.#instruments.timeToDecide.observe({ kind: hold.kind }, Math.max(ms, 0) / 1000)
  }
}

/** A rate is known from the first event on only if the counter was there before. */
function beginAtZero({ holdsOpened, decisions, runsFinished, toolCalls }: Instruments): void {
  for (const kind of HOLD_KINDS) holdsOpened.inc({ kind }, 0)
  for (const verdict of VERDICTS) for (const by of ['person', 'agent', 'deadline']) decisions.inc({ verdict, by }, 0)
  for (const termination of Object.keys(OUTCOME_OF)) runsFinished.inc({ termination }, 0)
  for (const status of ['succeeded', 'failed', 'cancelled']) toolCalls.inc({ status }, 0)
}

const ENDED: readonly AuditKind[] = ['hold.decided', 'hold.expired']

function text(value: unknown): string {
  return String(value)
}

/** The values of a label that is chosen elsewhere: the first `most` are told apart, all others are `other`. */
function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>()
  return value => {
    if (known.size < most) known.add(value)
    return known.has(value) ? value : OTHER
  }
}

const OTHER = 'other'
