import type { HoldState } from '../../core/journal/thread.ts'
import { isFinal, type ToolCall } from '../../core/run/tool-call.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { isSameJson } from '../../core/text/json.ts'
import { isOpen } from './chat-message.ts'
import type { Moment } from './moment.ts'

/** A call, as far as a client has it. */
export interface ToldCall {
  /** The pieces of its arguments, as JSON text. */
  input: string
  /** The arguments that it was shown to be ready with; `null` before that. */
  ready: JsonObject | string | null
  /** The hold that it was asked about; `null` if none. */
  asked: string | null
  /** The client takes the hold for answered, or has a result of its own. */
  answered: boolean
  finished: boolean
}

/** The calls of one turn, as far as a client has them. */
export class ToldCalls {
  readonly #told: Map<string, ToldCall>

  constructor(known: ReadonlyMap<string, ToldCall>) {
    this.#told = new Map(known)
  }

  start(call_id: string, name: string): Moment[] {
    const told = this.#told.get(call_id)
    if (told?.ready !== undefined && told.ready !== null) return []
    this.#told.set(call_id, { input: '', ready: null, asked: null, answered: false, finished: false })
    return [{ kind: 'input.started', call_id, name }]
  }

  delta(call_id: string, delta: string): Moment[] {
    const told = this.#told.get(call_id)
    if (!told || told.ready !== null) return []
    told.input += delta
    return [{ kind: 'input.delta', call_id, delta }]
  }

  output(call_id: string, stream: string | null, delta: string): Moment[] {
    const told = this.#told.get(call_id)
    if (!told || told.finished) return []
    return [{ kind: 'output.delta', call_id, stream, delta }]
  }

  /** Pieces came of these calls, and the model asked for others. */
  drop(started: ReadonlySet<string>, asked: readonly ToolCall[]): Moment[] {
    const ids = new Set(asked.map(({ id }) => id))
    return [...started].flatMap((call_id): Moment[] => {
      if (ids.has(call_id) || !this.#told.delete(call_id)) return []
      return [{ kind: 'call.dropped', call_id }]
    })
  }

  /** The arguments as they run, if the pieces did not bring them. */
  input({ id, name, final_arguments: args }: ToolCall): Moment[] {
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    const told = this.#told.get(id)
    if (told && (told.ready !== null || isSameText(told.input, args))) return []
    return [...this.start(id, name), ...this.delta(id, text)]
  }

  /** Sends the changes in the current state of a call. */
  tell(call: ToolCall, hold: HoldState | null): Moment[] {
    const told = this.#told.get(call.id)
    if (!told || told.finished || !isPlaced(call)) return []
    if (isFinal(call.status)) return this.#finish(told, call, hold)
    return [...ready(told, call, hold), ...(hold && isOpen(hold) ? ask(told, call, hold) : [])]
  }

  #finish(told: ToldCall, call: ToolCall, hold: HoldState | null): Moment[] {
    told.finished = true
    // A client that connects later needs only the outcome of the call.
    const changed = told.ready === null ? [] : ready(told, call, hold)
    return [...changed, { kind: 'call.finished', call, hold }]
  }
}

/** True if the call passed, is held, or is over: no rule is left that decides who runs it. */
function isPlaced({ status, allowed }: ToolCall): boolean {
  return status !== 'new' || allowed
}

function ready(told: ToldCall, call: ToolCall, hold: HoldState | null): Moment[] {
  const { final_arguments: args } = call
  if (told.ready !== null && isSameJson(told.ready, args)) return []
  told.ready = args
  return [{ kind: 'call.ready', call, hold }]
}

function ask(told: ToldCall, call: ToolCall, hold: HoldState): Moment[] {
  if (told.asked === hold.id && !told.answered) return []
  told.asked = hold.id
  told.answered = false
  return [{ kind: 'call.asked', call, hold }]
}

/** The model's own spelling of its JSON counts as well as ours. */
function isSameText(text: string, args: JsonObject | string): boolean {
  if (typeof args === 'string') return text === args
  try {
    return isSameJson(JSON.parse(text), args)
  } catch {
    return false
  }
}
