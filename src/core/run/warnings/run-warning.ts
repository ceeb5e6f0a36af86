import type { Count } from '../../count.ts'

interface Named {
  readonly name: string
}

/** Who warns: a tool, or a model. */
export interface Warner extends Named {
  readonly code: 'tool_warning' | 'model_warning'
}

/** Something that a person should know of a run, and that changes nothing. */
export type RunWarning = {
  readonly message: string
  readonly hint: string
} /** A line of its policy does nothing, or permits more than it seems to. `place`: a path into the policy. */ & (
  | { readonly code: 'dead_rule' | 'wide_rule'; readonly place: string }
  /** An older agent stops on a pattern that only JavaScript can run: new agents are refused with it. */
  | { readonly code: 'irregular_pattern' }
  /** The standard input stayed open without a byte, so nothing of it is in the prompt. */
  | { readonly code: 'silent_stdin' }
  /** The provider of the model refused parts, or takes them in no form. `parts`: what was left out or shortened. */
  | { readonly code: 'context_repaired'; readonly parts: readonly string[] }
  /** The model of the run does not read parts of the message that was sent. `parts`: each in words. */
  | { readonly code: 'parts_not_read'; readonly parts: readonly string[] }
  /** Files of the project are not read as instructions; or they changed since the run read them. */
  | { readonly code: 'instructions_left_out' | 'instructions_changed'; readonly files: readonly string[] }
  /** The model of the run failed, and others stood in for it. */
  | { readonly code: 'model_switched'; readonly models: readonly string[] }
  /** Its conversation was longer than fits, and no summary could be made of it. */
  | { readonly code: 'context_not_summarized' }
  /** A server or a tool of one cannot be used, so the run does without. */
  | { readonly code: 'tools_left_out'; readonly name: string }
  /** A tool of the run warns. */
  | ({ readonly code: 'tool_warning' } & Named)
  /** The model does not have a setting, or its provider did what nobody was asked about. */
  | ({ readonly code: 'model_warning' } & Named)
  /** Calls were refused without a person. `rules`: why, each reason once. */
  | { readonly code: 'calls_refused'; readonly calls: Count; readonly rules: readonly string[] }
  /** Calls ran about which the policy asks: the run does not pause for approval (`nobody_asked`), or the policy observes. */
  | { readonly code: 'nobody_asked' | 'calls_observed'; readonly calls: Count; readonly rules: readonly string[] }
)

/** What the sender of a message should know at once. */
export type Warned = {
  /** Left out if there is nothing. */
  readonly warnings?: readonly RunWarning[]
}
