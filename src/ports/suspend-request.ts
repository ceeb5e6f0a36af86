import type { HoldKind, ResumeMode } from '../core/hold.ts'
import type { Json, JsonObject } from '../core/json.ts'

/** Asks people before a call goes on. */
export interface SuspendRequest {
  /** What is asked, in a sentence. */
  readonly message: string
  /** Default: `question` where it has choices or a response schema, otherwise `approval`. */
  readonly kind?: Extract<HoldKind, 'approval' | 'question' | 'client_tool'>
  readonly context?: Json
  readonly choices?: readonly string[] | null
  /** JSON Schema of the answer. */
  readonly responseSchema?: JsonObject | null
  /** Default: what the tool declares. */
  readonly resumeMode?: ResumeMode
}
