import { type ActionName, type ActionWords, actionText, type NextAction, PLAIN_WORDS } from './next-action.ts'
import type { RefusalCode } from './refusal-codes.ts'

/**
 * The base of every failure that Holdpoint raises on purpose. `code` is stable and meant for programs; the message
 * gives what happened and what it means; `hint`, when there is one, gives the next step.
 */
export abstract class HoldpointError extends Error {
  abstract readonly code: string
  /** The next step in words that hold on every host. */
  readonly hint: string | null
  readonly #advice: string | null
  readonly #action: NextAction | null
  /** Facts for programs, under stable names; empty if the code is enough. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.#advice = options.hint ?? null
    this.#action = options.action ?? null
    this.hint = this.hintIn(PLAIN_WORDS)
    this.details = options.details ?? {}
    this.name = new.target.name
  }

  /** The next step by name, which the hint ends with; `null` if the code has none. */
  get action(): NextAction | null {
    return this.#action
  }

  /** The hint, with the next action in `words`. */
  hintIn(words: ActionWords): string | null {
    const action = this.#action && actionText(this.#action, words)
    const sentences = [this.#advice, action].filter(text => text !== null)
    return sentences.length > 0 ? sentences.join(' ') : null
  }

  /** The form for `JSON.stringify`, also inside a receipt: without stack and cause, which may contain secrets. */
  toJSON(): ErrorDocument {
    const { code, message, hint, details } = this
    return { code, message, hint, details }
  }
}

export interface ErrorOptions {
  /** The next step, in words that no host needs to change. */
  readonly hint?: string | null
  /** The next step: the last sentence of the hint, in the words of each host. */
  readonly action?: NextAction | null
  readonly cause?: unknown
  readonly details?: Readonly<Record<string, unknown>>
}

/** An error as data. */
export interface ErrorDocument {
  readonly code: string
  readonly message: string
  readonly hint: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** The request contradicts itself or the state of things. Nothing was changed, no model was called. */
export class RefusedError extends HoldpointError {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}

/** One text of the catalogue in `core/refusals/`. */
export function refused(
  code: RefusalCode,
  message: string,
  hint: string | null = null,
  more: ErrorOptions = {},
): RefusedError {
  return new RefusedError(code, message, { hint, ...more })
}

/** `thing` is what people call it, `find` how the right one is found. */
export function unknown(code: RefusalCode, thing: string, { id, find }: Unknown): RefusedError {
  return new RefusedError(code, `There is no ${thing} ${JSON.stringify(id)} in this store.`, {
    hint: wrongKind(thing, id),
    action: { do: find },
  })
}

/** The beginnings of ids, by what people call the things. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  ...{ session: 'th_', run: 'run_', hold: 'hold_', checkpoint: 'cp_', grant: 'grant_', task: 'task_', token: 'token_' },
  'background agent': 'task_',
}

/** `null` unless the id clearly belongs to another kind of thing. */
function wrongKind(thing: string, id: unknown): string | null {
  const own = BEGINNINGS[thing]
  const [other, beginning] = Object.entries(BEGINNINGS).find(each => String(id).startsWith(each[1])) ?? []
  if (other === undefined || beginning === own) return null
  return `This is the id of a ${other}; that of a ${thing} begins with ${own}.`
}

interface Unknown {
  readonly id: string
  readonly find: ActionName
}

/** A call was to change into a status that it cannot reach from its own. Nothing was changed. */
export class IllegalMoveError extends HoldpointError {
  readonly code = 'illegal_move'

  constructor(callId: string, from: string, to: string) {
    super(`Tool call ${callId} is ${from} and cannot become ${to}.`)
  }
}

/** A stored journal does not read as one. It is never taken for an empty conversation. */
export class CorruptJournalError extends HoldpointError {
  readonly code = 'corrupt_journal'

  constructor(threadId: string, detail: string, cause?: unknown) {
    super(`The journal of thread ${threadId} cannot be read: ${detail}.`, {
      hint: 'Nothing was changed. Restore the store from a backup, or start a new thread.',
      cause,
    })
  }
}

/** Another process took over the right to advance this run. The last events of this one were not written (P7). */
export class LeaseLostError extends HoldpointError {
  readonly code = 'lease_lost'

  constructor(runId: string) {
    super(`Another process is advancing run ${runId} now, so this one stopped without writing.`, {
      action: { do: 'look_at_runs' },
    })
  }
}

/** A model could not answer. `retryable` is true if asking again may help. */
export class ModelError extends HoldpointError {
  readonly code: string
  readonly retryable: boolean
  /** How long the provider asked to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | null

  constructor(
    code: string,
    message: string,
    options: ErrorOptions & { retryable: boolean; retryAfterMs?: number | null },
  ) {
    super(message, options)
    this.code = code
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/**
 * Checks the name and shape, not the class: the models and tools of an agent file may have a copy of Holdpoint of their
 * own.
 */
export function isModelError(thrown: unknown): thrown is ModelError {
  return isNamed(thrown, 'ModelError') && 'retryable' in thrown
}

/** Checks like `isModelError`. */
export function isToolError(thrown: unknown): thrown is ToolError {
  return isNamed(thrown, 'ToolError')
}

function isNamed(thrown: unknown, name: string): thrown is Error & { code: string } {
  return thrown instanceof Error && thrown.name === name && 'code' in thrown && typeof thrown.code === 'string'
}

/** A tool could not do its work. The model sees `code: message` as the result of the call. */
export class ToolError extends HoldpointError {
  readonly code: string

  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

/** The message of anything that was thrown, even if it cannot be turned into text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'it threw something that cannot be shown'
  }
}
