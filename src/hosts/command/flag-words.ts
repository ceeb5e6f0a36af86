import { HOLD_STATUSES } from '../../core/hold/hold.ts'
import type { RunStatus } from '../../core/journal/thread.ts'
import type { Flag } from './flags.ts'

/** The statuses by which `holds` chooses. */
export const LISTED_HOLD_STATUSES = [...HOLD_STATUSES, 'all'] as const

/** The statuses by which `runs` chooses. `ready` is running, and no process works on it. */
export const LISTED_RUN_STATUSES: readonly (RunStatus | 'ready')[] = ['running', 'ready', 'waiting', 'done']

/** A flag that takes one of these words, which the completion offers. */
export function choiceFlag(name: string, words: readonly string[], help?: string): Flag {
  const all = `only these: ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  return { name, value: name.toUpperCase(), words, help: help ?? all }
}
