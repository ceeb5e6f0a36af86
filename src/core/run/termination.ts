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

/** The reasons of providers for an incomplete answer, and the end that each leads to. */
const CUT_OFF: Readonly<Record<string, Extract<Termination, { type: 'stopped' }>>> = {
  length: {
    type: 'stopped',
    code: 'length',
    detail: "the answer reached the model's limit of output tokens, so its end is missing",
  },
  'content-filter': {
    type: 'stopped',
    code: 'content_filter',
    detail: "the provider's content filter withheld the answer or a part of it",
  },
}

/** The end of a run whose model asks for nothing more: `natural_end` only if its answer is whole. */
export function endOfAnswer(finishReason: string): Termination {
  const reason = finishReason.replace('_', '-')
  const cut = Object.hasOwn(CUT_OFF, reason) ? CUT_OFF[reason] : undefined
  return cut ?? { type: 'natural_end' }
}

/** True if the run ended with an answer that is not whole, which leaves no work that could go on by itself. */
export function isCutOff(termination: Termination | null): boolean {
  return termination?.type === 'stopped' && Object.values(CUT_OFF).some(({ code }) => code === termination.code)
}

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
