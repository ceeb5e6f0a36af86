import { exitCodeOf, type StopWatch } from '../process/interruption.ts'
import type { OutcomeDocument } from './outcome-document.ts'

/** docs/design/command-line.md#exit-codes */
export function exitCodeAfter({ outcome }: OutcomeDocument, stop: Pick<StopWatch, 'stoppedBy'>): number {
  const stoppedBy = stop.stoppedBy()
  return outcome === 'interrupted' && stoppedBy ? exitCodeOf(stoppedBy) : EXIT_CODES[outcome]
}

const EXIT_CODES: Record<OutcomeDocument['outcome'], number> = {
  completed: 0,
  failed: 1,
  stopped: 1,
  refused: 2,
  paused: 10,
  interrupted: 130,
}
