import { isJsonObject, type Json, type JsonObject } from '../core/text/json.ts'

/** An `interrupt(value)` that waits in a graph. */
export interface PendingInterrupt {
  readonly id: string
  readonly value: Json
  /** JSON Schema of the value to resume with; `null` if there is none. */
  readonly response_schema: JsonObject | null
}

/** The result of `run_graph`, in the form of the journal. */
export type GraphResult =
  | { readonly status: 'done'; readonly answer: string; readonly output: Json }
  | { readonly status: 'waiting'; readonly interrupts: readonly PendingInterrupt[] }

/** `null` if it is none. */
export function asGraphResult(content: Json): GraphResult | null {
  const { status, answer, interrupts } = asObject(content)
  if (status === 'done' && typeof answer === 'string') return content as unknown as GraphResult
  return status === 'waiting' && Array.isArray(interrupts) ? (content as unknown as GraphResult) : null
}

export function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
