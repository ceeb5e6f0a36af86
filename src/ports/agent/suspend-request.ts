import type { HoldKind, ResumeMode } from '../../core/hold/hold.ts'
import type { EscalationLevel, FinalAction, OnDue } from '../../core/people/due.ts'
import type { DecidersOptions } from '../../core/people/people-options.ts'
import type { PreviewPart } from '../../core/preview/preview.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'

/** Asks people before a call goes on. */
export interface SuspendRequest {
  /** The request, in a sentence. */
  readonly message: string
  /** Default: `question` if it has choices or a response schema, otherwise `approval`. */
  readonly kind?: Extract<HoldKind, 'approval' | 'question' | 'client_tool'>
  readonly context?: Json
  /**
   * The facts that the decision depends on: a price, a version. `suspended.confirm` compares with it. Default: the
   * context.
   */
  readonly basis?: Json
  /** What the call would do, in place of the preview of its tool. Its `basis` is that of the request. */
  readonly preview?: readonly PreviewPart[]
  readonly choices?: readonly string[] | null
  /** JSON Schema of the answer. */
  readonly responseSchema?: JsonObject | null
  /** Default: what the tool declares. */
  readonly resumeMode?: ResumeMode
  /**
   * ISO time of the deadline; `null` never. Default of this and the next fields: the settings of the tool, the agent or
   * the project.
   */
  readonly dueAt?: string | null
  readonly onDue?: OnDue
  /** ISO times. */
  readonly remindAt?: readonly string[]
  /** The first to be asked: a person, or `@group`. */
  readonly assignee?: string | null
  readonly escalation?: readonly EscalationLevel[]
  /** The action after the last level of an escalation. Default: `cancel`. */
  readonly finally?: FinalAction
  /** Only a person may approve it: no deadline does, under any setting. */
  readonly needsPerson?: boolean
  /** Policy says never to the call, so that an approval overrides it. Approvers see that. */
  readonly overridesNever?: boolean
  /** How much care a decision wants, beyond what the tool says. Default: `ordinary`. */
  readonly risk?: 'ordinary' | 'high'
  /** The deciders. */
  readonly deciders?: DecidersOptions | null
}
