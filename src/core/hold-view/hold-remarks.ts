import { calledBeforeText } from '../doubt/called-before.ts'
import type { Hold } from '../hold/hold.ts'

/** What Holdpoint itself knows about the call of a hold, a sentence or two each. Every surface shows them with the request. */
export function holdRemarks({ called_before = [], still_running }: Known): readonly string[] {
  return [...called_before.map(calledBeforeText), ...(still_running ? [still_running.text] : [])]
}

type Known = Pick<Hold, 'called_before' | 'still_running'>
