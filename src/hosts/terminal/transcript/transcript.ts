/**
 * A conversation as lines: what is written into the scrollback for each event, and what is still open below it. Pure but
 * for its own memory of calls, which ends with each step.
 */
import { type Decision, idleEndText } from '../../../core/hold/decision.ts'
import { decisionText } from '../../../core/hold-view/hold-words.ts'
import type { EventData, JournalEvent } from '../../../core/journal/event.ts'
import type { Content } from '../../../core/message/part.ts'
import { besideText, contentText, partWords } from '../../../core/message/part-words.ts'
import { PLAN_TOOL, planIn } from '../../../core/plan/plan.ts'
import { describeEnd } from '../../../core/run/termination.ts'
import { Spending } from '../../../core/spending/spending.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import { clockTime } from '../../display/ago.ts'
import { Activity } from '../../display/run/activity.ts'
import { eventLine } from '../../display/run/event-lines.ts'
import { PLAIN, type Style } from '../../display/screen.ts'
import { flowed, type Line, line } from '../screen/flow.ts'
import { AnswerStream } from './answer-stream.ts'
import { planRows } from './plan-rows.ts'
import { resultLines } from './result-lines.ts'

type Heard = JournalEvent | Ephemeral
type LinesOf = {
  readonly [K in Heard['kind']]?: (event: Extract<Heard, { kind: K }>, columns: number) => Line[]
}
type Queued = { readonly content: Content; readonly author: string | null }

const MARKS: Readonly<Record<string, Style>> = { '✓': 'green', '✗': 'red', '?': 'magenta', '!': 'magenta', '·': 'dim' }
const WIDEST = 100
/** Columns of the arguments or the answer in a decision; `/show` has all of it. */
const LONGEST_TOLD = 400

interface Told {
  readonly mark: string
  readonly style: Style
}
const TOLD: Told = { mark: '·', style: 'dim' }

export class Transcript {
  readonly activity: Activity = new Activity()
  readonly #person: string
  readonly #surface: string
  readonly #answer = new AnswerStream()
  readonly #queue: Queued[] = []
  readonly #rules = new Map<string, string>()
  /** The kind of the last row. `said` ends with an empty line. */
  #block: 'text' | 'event' | 'said' | null = null
  /** Of the newest run. */
  steps = 0
  /** Of the whole session. */
  spending = new Spending()
  lastAnswer = ''

  /** `person`, `surface`: as this one signs. */
  constructor(person: string, surface = 'terminal') {
    this.#person = person
    this.#surface = surface
  }

  /** Another session: what was known of the one before counts no more. `earlier`: its events that are not heard again. */
  begins(earlier: readonly JournalEvent[]): void {
    this.#queue.length = 0
    this.#rules.clear()
    this.steps = 0
    this.lastAnswer = ''
    this.spending = new Spending()
    for (const event of earlier) this.recall(event)
  }

  /** Messages that the run has not taken in yet. */
  get queued(): readonly string[] {
    return this.#queue.map(({ content }) => contentText(content))
  }

  /** Rows that are no part of the conversation were written after it. */
  interrupt(): void {
    this.#block = 'event'
  }

  /** The rule that asked for a hold; `null` if it was not heard. */
  ruleOf(holdId: string): string | null {
    return this.#rules.get(holdId) ?? null
  }

  /** The rows of the text that arrives. */
  open(columns: number): readonly Line[] {
    return this.#answer.open(columns)
  }

  /** The rows that the event adds for good. */
  hear(event: Heard, columns: number): Line[] {
    const lines = (this.#lines[event.kind] as ((event: Heard, columns: number) => Line[]) | undefined)?.(event, columns)
    const told = lines ?? this.#usual(event, columns)
    this.activity.hear(event)
    return told
  }

  /** An event is on the screen already; only the rule of a hold is new: in a fork it has another id. */
  recall({ kind, data }: JournalEvent): void {
    if (kind === 'model.answered') this.spending.add(data)
    if (kind === 'context.compacted') this.#spend(data)
    if (kind === 'hold.opened') this.#rules.set(data.hold_id, data.because)
  }

  #spend({ model, usage }: EventData['context.compacted']): void {
    if (model !== undefined && usage) this.spending.add({ model, usage })
  }

  readonly #lines: LinesOf = {
    'text.delta': ({ data }, columns) => this.#text(this.#answer.add(data.delta, columns)),
    'inference.void': (_, columns) => this.#void(columns),
    'run.started': ({ data }) => {
      this.steps = data.carried?.steps ?? 0
      return []
    },
    'message.received': ({ data }, columns) => this.#said([data], columns),
    'message.queued': ({ data }) => {
      this.#queue.push(data)
      return []
    },
    'message.delivered': ({ data }, columns) => this.#said(this.#queue.splice(0, data.count), columns),
    'step.started': ({ data }) => {
      this.steps = data.step
      return []
    },
    'model.answered': ({ data }, columns) => {
      this.spending.add(data)
      this.lastAnswer = data.text === '' ? this.lastAnswer : data.text
      const rows = this.#text(this.#answer.end(data.text, columns))
      return [...rows, ...besideText(data.parts).flatMap(part => this.#told(partWords(part), columns))]
    },
    'context.compacted': (event, columns) => {
      this.#spend(event.data)
      return this.#usual(event, columns)
    },
    'call.finished': (event, columns) => {
      const plan = this.#planOf(event.data, columns)
      const lines = this.#usual(event, columns)
      return [...lines, ...(plan ?? resultLines(event.data, columns))]
    },
    'hold.opened': (event, columns) => {
      if (event.data.kind === 'input') return []
      this.#rules.set(event.data.hold_id, event.data.because)
      return this.#usual(event, columns)
    },
    'hold.decided': ({ at, data }, columns) =>
      data.call_id === null ? this.#spoken(data.decision, columns) : this.#told(this.#decided(at, data), columns),
    'hold.voted': ({ at, data }, columns) =>
      this.#told(`${this.#decided(at, data)} (${data.have} of ${data.need})`, columns),
    'hold.withdrawn': ({ data }, columns) =>
      this.#told(`${data.call_id ?? data.hold_id} is asked no more: ${data.because}`, columns),
    'run.finished': ({ data }, columns) =>
      data.termination.type === 'natural_end'
        ? []
        : this.#told(describeEnd(data.termination), columns, { mark: '!', style: 'magenta' }),
    note: ({ data }, columns) => this.#told(data.message, columns),
  }

  /** The steps that the call wrote down; `null` for a call of anything else. */
  #planOf({ call_id, status }: EventData['call.finished'], columns: number): Line[] | null {
    const { name, arguments: args } = this.activity.call(call_id)
    const plan = name === PLAN_TOOL && status === 'succeeded' ? planIn(args) : null
    return plan && planRows(plan, columns)
  }

  #usual(event: Heard, columns: number): Line[] {
    const told = { activity: this.activity, detail: 'usual', streams: true } as const
    const text = eventLine(event, told, { width: columns, paint: PLAIN })
    if (text === null) return []
    const mark = text.slice(0, 1)
    return this.#event([
      { text: mark, style: MARKS[mark] ?? null },
      { text: text.slice(1), style: null },
    ])
  }

  /** `tc_2 approved by ana on http, 14:02`. */
  #decided(at: string, { call_id, hold_id, decision }: Decided): string {
    const isOwn = decision.decided_by === this.#person && decision.surface === this.#surface
    const text = decisionText(isOwn ? { ...decision, decided_by: 'you' } : decision)
    const where = isOwn ? '' : ` on ${decision.surface}, ${clockTime(at)}`
    return `${call_id ?? hold_id} ${shortened(text, LONGEST_TOLD)}${where}`
  }

  /** Without a call the run waited for a message: here it is, or the run ends instead. */
  #spoken(decision: Decision, columns: number): Line[] {
    const { verdict, decided_by, value, parts } = decision
    const content = parts ?? (typeof value === 'string' ? value : JSON.stringify(value))
    if (verdict === 'respond') return this.#said([{ content, author: decided_by }], columns)
    return this.#told(idleEndText(decision) ?? `ended by ${this.#nameOf(decided_by)}`, columns)
  }

  #nameOf(by: string): string {
    return by === this.#person ? 'you' : by
  }

  #said(messages: readonly Queued[], columns: number): Line[] {
    return messages.flatMap(({ content, author }) => {
      const from = author === null || author === this.#person ? '› ' : `${visibleLine(author)} › `
      const rows = visibleText(contentText(content))
        .split('\n')
        .flatMap((text, index) =>
          flowed(line(`${index === 0 ? from : '  '}${text}`, 'bold'), Math.min(WIDEST, columns), '  '),
        )
      const before = this.#block === 'said' ? [] : [line('')]
      this.#block = 'said'
      return [...before, ...rows, line('')]
    })
  }

  #void(columns: number): Line[] {
    const wasBegun = this.#answer.isBegun
    const rows = wasBegun ? this.#answer.end('', columns) : []
    return wasBegun ? [...rows, ...this.#told('that does not count: the model is asked again', columns)] : rows
  }

  #text(rows: readonly Line[]): Line[] {
    return this.#after('text', rows)
  }

  #told(text: string, columns: number, { mark, style }: Told = TOLD): Line[] {
    return this.#after('event', flowed(line(`${mark} ${visibleLine(text)}`, style), columns, '  '))
  }

  #event(row: Line): Line[] {
    return this.#after('event', [row])
  }

  /** An empty line separates messages and events. */
  #after(block: 'text' | 'event', rows: readonly Line[]): Line[] {
    if (rows.length === 0) return []
    const isNew = this.#block !== null && this.#block !== 'said' && this.#block !== block
    this.#block = block
    return isNew ? [line(''), ...rows] : [...rows]
  }
}

type Decided =
  | Extract<JournalEvent, { kind: 'hold.decided' }>['data']
  | Extract<JournalEvent, { kind: 'hold.voted' }>['data']
