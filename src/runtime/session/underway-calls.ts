import { messageOf } from '../../core/errors.ts'
import type { ContentPart } from '../../core/message/part.ts'
import type { Deciders } from '../../core/people/deciders.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import type { Json } from '../../core/text/json.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { Tool } from '../../ports/agent/tool.ts'

/** How the run of one tool went, and what its tool wants people to know of it. */
export type Outcome = End & { readonly warnings?: readonly string[] }

type End =
  | { readonly type: 'succeeded'; readonly output: Json; readonly parts?: readonly ContentPart[] }
  /** Its tool threw while nobody stopped it. */
  | { readonly type: 'failed'; readonly error: CallError }
  /** It was told to stop and threw: it may have had its effect before. `error` is what it threw. */
  | { readonly type: 'unknown'; readonly error: CallError }
  | { readonly type: 'suspended'; readonly request: SuspendRequest; readonly lastDeciders?: Deciders | null }
  /** It had begun before, and its tool cannot know what came of it: `because`. */
  | { readonly type: 'in_doubt'; readonly because: string }
  /** It was told to stop first: nothing came of the claim. */
  | { readonly type: 'unbegun' }

export interface FinishedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly outcome: Outcome
}

/** The calls whose tools this process is running, and those that finished and were not yet looked at. */
export class UnderwayCalls {
  readonly #running = new Set<string>()
  #finished: FinishedCall[] = []
  #next = Promise.withResolvers<void>()

  /** Until their outcome is taken. */
  get ids(): ReadonlySet<string> {
    return this.#running
  }

  begin({ call, tool }: Omit<FinishedCall, 'outcome'>, work: Promise<Outcome>): void {
    this.#running.add(call.id)
    const finish = (outcome: Outcome) => {
      if (!this.#running.has(call.id)) return
      this.#finished.push({ call, tool, outcome })
      this.#next.resolve()
    }
    work.then(finish, (thrown: unknown) => finish({ type: 'failed', error: unforeseen(thrown) }))
  }

  /** The outcomes of these calls do not count any more, nor those that came meanwhile: their step is closed. */
  abandon(): void {
    this.#running.clear()
    this.take()
  }

  /** Resolves as soon as there is something to take. */
  get finished(): Promise<void> {
    return this.#next.promise
  }

  take(): readonly FinishedCall[] {
    const taken = this.#finished
    this.#finished = []
    this.#next = Promise.withResolvers()
    for (const { call } of taken) this.#running.delete(call.id)
    return taken
  }
}

function unforeseen(thrown: unknown): CallError {
  return { code: 'TOOL_CALL_FAILED', message: messageOf(thrown) }
}
