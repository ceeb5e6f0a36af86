import type { Hold } from '../hold/hold.ts'

/** What Holdpoint itself knows about the call of a hold, a sentence or two each. Every surface shows them with the request. */
export function holdRemarks({ still_running }: Pick<Hold, 'still_running'>): readonly string[] {
  return still_running ? [still_running.text] : []
}
