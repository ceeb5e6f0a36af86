import type { JsonObject } from '../text/json.ts'

/** A tool of the client that talks to a run: its calls wait until a program gives their results, and nothing runs here. */
export interface ClientTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly input_schema: JsonObject
}
