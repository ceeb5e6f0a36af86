/** What was seen of a simulated life from outside the runtime, in the order in which it happened. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DueEvent } from '../../src/core/deadlines/next-due.ts'
import type { Receipt } from '../../src/core/deciding/receipt.ts'
import type { DecisionInput } from '../../src/core/hold/decision.ts'
import type { JournalEvent } from '../../src/core/journal/event.ts'
import type { Message } from '../../src/core/journal/message.ts'
import type { Thread } from '../../src/core/journal/thread.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import type { GrantQuery } from '../../src/ports/store/grants.ts'
import type { AdvanceResult } from '../../src/runtime/views/face-options.ts'
import type { Life } from './scheduler.ts'
import type { ToolName } from './tool-names.ts'

/** One `advance`, and what its process told meanwhile. */
export interface Tale {
  readonly life: Life
  readonly run_id: string
  readonly thread_id: string
  readonly told: JournalEvent[]
  /** Decisions that were recorded with its claim, if it was. */
  readonly decisions: ReadonlySet<string>
  readonly signal: AbortSignal
  /** Watches of the store and timers that it opened and did not close yet, by what they are. */
  readonly open: Map<object, string>
}

export interface Effect {
  readonly is: 'effect'
  readonly number: number
  readonly tool: ToolName
  readonly thread_id: string
  readonly call_id: string
  readonly args: JsonObject
  readonly key: string
  /** Of tool, schema and arguments as the process knew them that ran it. */
  readonly digest: string
}

/** One run of a tool. */
export interface Attempt {
  readonly tool: ToolName
  readonly thread_id: string
  readonly call_id: string
  readonly life: Life
  readonly tale: Tale | null
}

type Told = 'runStart' | 'runEnd'
/** A hook was asked, or gave its answer. */
export type WitnessedPhase = Told | `asked ${Told}`

export type Seen =
  | Effect
  /** A tool began, right after the claim of its call. */
  | { readonly is: 'begun'; readonly attempt: Attempt }
  /** It returned, or threw. */
  | { readonly is: 'over'; readonly attempt: Attempt }
  /** What a session lives by, as it was behind a flush. */
  | { readonly is: 'flushed'; readonly thread: Thread }
  | { readonly is: 'request'; readonly thread_id: string; readonly messages: readonly Message[]; readonly life: Life }
  | { readonly is: 'receipt'; readonly said: DecisionInput; readonly receipt: Receipt }
  | { readonly is: 'told'; readonly event: JournalEvent; readonly tale: Tale | null; readonly place: number }
  | { readonly is: 'advanced'; readonly tale: Tale; readonly result: AdvanceResult }
  | { readonly is: 'followed'; readonly event: JournalEvent; readonly before: number }
  | { readonly is: 'hook'; readonly phase: WitnessedPhase; readonly run_id: string }
  /** An advance looks for what is always allowed, by its clock as it was when it asked. */
  | {
      readonly is: 'grants asked'
      readonly by: object
      readonly query: GrantQuery
      readonly at: number
      readonly found: readonly string[]
    }
  | { readonly is: 'wrote'; readonly by: object; readonly thread_id: string; readonly events: readonly JournalEvent[] }
  | { readonly is: 'reclaimed'; readonly run_id: string }
  | { readonly is: 'revoked'; readonly grant_id: string }
  | { readonly is: 'swept'; readonly happened: readonly DueEvent[] }
  | { readonly is: 'noted'; readonly what: string }
  | { readonly is: 'thrown'; readonly by: string; readonly thrown: unknown }

/** Which process, and which of its advances, code runs for. */
export const onBehalfOf: AsyncLocalStorage<{ readonly life: Life; readonly tale: Tale | null }> =
  new AsyncLocalStorage()

/** Notes what the advance for which code runs opens, until it is disposed of. */
export function noteOpen(what: string, opened: Disposable): Disposable {
  const open = onBehalfOf.getStore()?.tale?.open
  const noted = {
    [Symbol.dispose]: () => {
      open?.delete(noted)
      opened[Symbol.dispose]()
    },
  }
  open?.set(noted, what)
  return noted
}

export class Ledger {
  readonly effects: Effect[] = []
  /** Plugins of which a hook threw, by run. */
  readonly threw: Set<string> = new Set()
  /** How often something happened, for tools and models that have to know. */
  readonly #times = new Map<string, number>()
  #seen: Seen[] = []

  see(seen: Seen): void {
    if (seen.is === 'effect') this.effects.push(seen)
    this.#seen.push(seen)
  }

  /** What was seen since somebody asked last. */
  news(): readonly Seen[] {
    const news = this.#seen
    this.#seen = []
    return news
  }

  /** How often this happened, this time included. */
  count(what: string): number {
    const times = (this.#times.get(what) ?? 0) + 1
    this.#times.set(what, times)
    return times
  }
}
