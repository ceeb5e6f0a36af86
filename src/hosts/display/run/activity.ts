import type { JournalEvent } from '../../../core/journal/event.ts'
import { PLAN_TOOL, planIn, planSummary } from '../../../core/plan/plan.ts'
import { callOutcome, outcomeText } from '../../../core/run/outcome/call-outcome.ts'
import { modelName } from '../../../core/run/profile.ts'
import type { CallStatus } from '../../../core/run/tool-call.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'

/** The model, or a call, at work. `since` in milliseconds of the clock. */
export interface Work {
  readonly text: string
  readonly since: number
  /** The last line of its output so far; empty if there is none. */
  readonly tail: string
}

type Heard = JournalEvent | Ephemeral
type EventOf<K extends Heard['kind']> = Extract<Heard, { kind: K }>

/** Characters kept of a line of output without an end. */
const TAIL_LENGTH = 500

interface Running {
  readonly since: number
  /** The last complete line of output, and the incomplete one after it. */
  line: string
  rest: string
}

/** The present activity of a run, from its events. */
export class Activity {
  readonly #calls = new Map<string, KnownCall>()
  readonly #running = new Map<string, Running>()
  #model = 'the model'
  #doing = ''
  /** Between calls it is the model's turn. */
  #since = 0

  /** Calls that this process did not hear of: an earlier one began the step. */
  knows(calls: readonly KnownCall[], model: string | null): void {
    for (const call of calls) this.#calls.set(call.id, call)
    this.#model = model ?? this.#model
  }

  /** An advance begins. */
  begins(now: number): void {
    this.goesOn(now)
    this.#running.clear()
  }

  /** A run is under way, as is heard later than its first events: calls that they began run on. */
  goesOn(now: number): void {
    this.#since = now
    this.#doing = ''
  }

  call(id: string): KnownCall {
    return this.#calls.get(id) ?? { id, name: id, arguments: '' }
  }

  /** Milliseconds that a call has run by `at` (ISO time). */
  ranFor(callId: string, at: string): number {
    const running = this.#running.get(callId)
    return running ? Date.parse(at) - running.since : 0
  }

  works(): Work[] {
    if (this.#running.size === 0) return [{ text: `${this.#model}${this.#doing}`, since: this.#since, tail: '' }]
    return [...this.#running].map(([id, { since, line, rest }]) => {
      const tail = rest.trim() === '' ? line : rest
      return { text: callText(this.call(id)), since, tail }
    })
  }

  hear(event: Heard): void {
    if ('at' in event) {
      this.#since = Date.parse(event.at)
      this.#doing = ''
    }
    this.#hearers[event.kind]?.(event as never)
  }

  readonly #hearers: { readonly [K in Heard['kind']]?: (event: EventOf<K>) => void } = {
    'run.started': ({ data }) => this.knows([], modelName(data.profile)),
    'reasoning.start': () => this.#does('thinks'),
    'text.start': () => this.#does('answers'),
    'tool_input.start': ({ data }) => this.#does(`writes a call of ${data.name}`),
    'model.retrying': () => this.#does('is asked again'),
    'model.answered': ({ data }) => this.knows(data.calls, null),
    'call.started': ({ at, data }) => this.#running.set(data.call_id, { since: Date.parse(at), line: '', rest: '' }),
    'tool_output.delta': ({ data }) => this.#hearOutput(data.call_id, data.delta),
    'call.unclaimed': ({ data }) => this.#running.delete(data.call_id),
    'call.cut_off': ({ data }) => this.#running.delete(data.call_id),
    'call.finished': ({ data }) => this.#running.delete(data.call_id),
    'hold.opened': ({ data }) => this.#running.delete(data.call_id ?? ''),
    'hold.decided': ({ data }) => this.#hearDecision(data),
  }

  #does(doing: string): void {
    this.#doing = ` ${doing}`
  }

  #hearOutput(callId: string, delta: string): void {
    const running = this.#running.get(callId)
    if (!running) return
    const lines = (running.rest + delta).slice(-TAIL_LENGTH).split('\n')
    running.rest = lines.pop() ?? ''
    running.line = lines.findLast(line => line.trim() !== '') ?? running.line
  }

  #hearDecision({ call_id, decision }: EventOf<'hold.decided'>['data']): void {
    if (call_id === null || decision.arguments === null) return
    this.#calls.set(call_id, { ...this.call(call_id), arguments: decision.arguments })
  }
}

interface KnownCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
}

/** A call in one line: `run_command  npm test`, `write_file  path: "a.txt", content: "…"`. */
export function callText({ name, arguments: args }: KnownCall): string {
  const text = typeof args === 'string' ? args : (planText(name, args) ?? argumentsText(args))
  return visibleLine(text === '' ? name : `${name}  ${text.replaceAll('\n', '\\n')}`)
}

/** The state of a plan, and the step under way; `null` for a call of anything else. */
function planText(name: string, args: JsonObject): string | null {
  const plan = name === PLAN_TOOL ? planIn(args) : null
  const now = plan?.find(({ state }) => state === 'in_progress')
  return plan && `${planSummary(plan)}${now ? `, now: ${now.step}` : ''}`
}

function argumentsText(args: JsonObject): string {
  const entries = Object.entries(args)
  const [only] = entries
  if (only && entries.length === 1) return asText(only[1])
  return entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface CallEnd {
  readonly status: Extract<CallStatus, 'succeeded' | 'failed' | 'cancelled'>
  readonly output: Json
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Longer results are shown by their size. */
const SHORT = 40

/** The result, in short; empty if there is nothing to say. */
export function endText({ status, output, error }: CallEnd): string {
  if (error) return visibleLine(`${error.code}: ${error.message}`)
  if (status !== 'succeeded') return status
  const outcome = callOutcome(output, null)
  if (outcome) return visibleLine(outcomeText(outcome))
  return typeof output === 'string' ? textSize(output) : ''
}

/** True for a call that did not do what it was for, also if its program failed. `args`: those that ran. */
export function isFailure({ status, output }: CallEnd, args: JsonObject | string): boolean {
  return status !== 'succeeded' || callOutcome(output, args)?.failed === true
}

function textSize(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').length
  if (lines > 1) return `${lines.toLocaleString('en-US')} lines`
  return text.length <= SHORT ? visibleLine(text.trim()) : `${text.length.toLocaleString('en-US')} characters`
}
