import type { HoldKind, ResumeMode } from '../../core/hold/hold.ts'
import type { EscalationLevel, FinalAction, OnDue } from '../../core/people/due.ts'
import type { DecidersOptions } from '../../core/people/people-options.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'

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
  /** ISO time until which somebody must decide; `null` never. Default of this and the rest: what the tool, the agent or the project says. */
  readonly dueAt?: string | null
  readonly onDue?: OnDue
  /** ISO times. */
  readonly remindAt?: readonly string[]
  /** Who is asked: a person, or `@group`. */
  readonly assignee?: string | null
  readonly escalation?: readonly EscalationLevel[]
  /** What the last level of an escalation ends with. Default: `cancel`. */
  readonly finally?: FinalAction
  /** What it would let happen is for people: no deadline approves it, whatever is said of time. */
  readonly needsPerson?: boolean
  /** Who may decide. */
  readonly deciders?: DecidersOptions | null
}
