import type { Termination } from './termination.ts'

/** DESIGN §4.5. Counters live in the journal, so that a resume never resets a budget. */
export type StopCondition = { readonly type: 'max_rounds'; readonly rounds: number }

export interface Counters {
  /** Inference rounds so far, those of the runs that this one continues included. */
  readonly rounds: number
}

type Check<K extends StopCondition['type']> = (
  condition: Extract<StopCondition, { type: K }>,
  counters: Counters,
) => string | null

const CHECKS: { readonly [K in StopCondition['type']]: Check<K> } = {
  max_rounds: ({ rounds }, counters) =>
    counters.rounds >= rounds ? `${counters.rounds} of ${rounds} rounds were used` : null,
}

/** The first condition in list order that holds, as the end of the run; `null` while none does. */
export function stopFor(conditions: readonly StopCondition[], counters: Counters): Termination | null {
  for (const condition of conditions) {
    const detail = CHECKS[condition.type](condition, counters)
    if (detail !== null) return { type: 'stopped', code: condition.type, detail }
  }
  return null
}

/** What is wrong with a stop condition that came from a file or from untyped code; `null` where nothing is. */
export function objectionToStop(condition: StopCondition): string | null {
  if (!Object.hasOwn(CHECKS, condition.type)) {
    return `it stops on ${JSON.stringify(condition.type)}; possible: ${Object.keys(CHECKS).join(', ')}`
  }
  const { rounds } = condition
  return Number.isSafeInteger(rounds) && rounds > 0
    ? null
    : `max_rounds needs rounds, a whole number from 1, not ${JSON.stringify(rounds)}`
}
