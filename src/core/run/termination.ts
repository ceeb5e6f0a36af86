/** How a run ended (docs/design/runs.md#termination). A run that waits has none. */
export type Termination =
  | { readonly type: 'natural_end' }
  | { readonly type: 'behavior_requested' }
  | { readonly type: 'stopped'; readonly code: string; readonly detail: string | null }
  | { readonly type: 'cancelled'; readonly by: string; readonly reason: string | null }
  | { readonly type: 'blocked'; readonly reason: string }
  | {
      readonly type: 'error'
      readonly code: string
      readonly message: string
      readonly hint: string | null
      readonly retryable: boolean
      /** ISO time before which the provider of the model takes no request, if it gave one. */
      readonly retry_at?: string
    }

/** A run's end in the words of the document. */
export type Outcome = 'completed' | 'stopped' | 'failed'

const COMPLETING_STOPS: readonly string[] = ['stop_on_tool', 'content_match']

export const OUTCOME_OF: Record<Termination['type'], (termination: Termination) => Outcome> = {
  natural_end: () => 'completed',
  behavior_requested: () => 'completed',
  stopped: end => (end.type === 'stopped' && COMPLETING_STOPS.includes(end.code) ? 'completed' : 'stopped'),
  cancelled: () => 'stopped',
  blocked: () => 'stopped',
  error: () => 'failed',
}

export function outcomeOf(termination: Termination): Outcome {
  return OUTCOME_OF[termination.type](termination)
}

/** The termination of a run that an exception ended. */
export function errorTermination(error: {
  code: string
  message: string
  hint: string | null
  retryable: boolean
  details?: Readonly<Record<string, unknown>>
}): Termination {
  const { code, message, hint, retryable, details = {} } = error
  const { retry_at } = details
  return { type: 'error', code, message, hint, retryable, ...(typeof retry_at === 'string' && { retry_at }) }
}

const DESCRIBE: { readonly [K in Termination['type']]: (end: Extract<Termination, { type: K }>) => string } = {
  natural_end: () => 'the agent is done',
  behavior_requested: () => 'a plugin ended the run',
  stopped: ({ code, detail }) => `the run was stopped by ${code}${detail === null ? '' : ` (${detail})`}`,
  cancelled: ({ by, reason }) => `${by} cancelled the run${reason === null ? '' : ` (${reason})`}`,
  blocked: ({ reason }) => `the run was blocked (${reason})`,
  error: ({ code, message }) => `the run failed with ${code} (${message})`,
}

/** An end in words, as part of a sentence. */
export function describeEnd(termination: Termination): string {
  return (DESCRIBE[termination.type] as (end: Termination) => string)(termination)
}
