import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

/** What becomes of an agent that is idle for too long: its run ends well, or its process goes and its run waits on. */
export type OnIdle = 'end' | 'park'

export const ON_IDLE: readonly OnIdle[] = ['end', 'park']

/** The settings of an agent whose process stays for the next message. Its task keeps them in its details. */
export interface Interactive {
  /** Milliseconds; 0: it stays for good. */
  readonly idle_timeout_ms: number
  readonly on_idle: OnIdle
}

export const USUAL_IDLE_MS: number = 300_000

/** The longest one that a timer can wait for: some 24 days. */
export const LONGEST_IDLE_MS: number = 2 ** 31 - 1

export const USUAL_INTERACTIVE: Interactive = { idle_timeout_ms: USUAL_IDLE_MS, on_idle: 'end' }

/** The field of a task's details. */
export const INTERACTIVE = 'interactive'

/** `null` if the task is not interactive: its process ends with each rest of its run. */
export function interactiveOf(details: JsonObject): Interactive | null {
  const given: Json | undefined = isJsonObject(details) ? details[INTERACTIVE] : undefined
  if (given === undefined || !isJsonObject(given)) return null
  const { idle_timeout_ms, on_idle } = given
  return {
    idle_timeout_ms: isIdleTimeout(idle_timeout_ms) ? idle_timeout_ms : USUAL_IDLE_MS,
    on_idle: on_idle === 'park' ? 'park' : 'end',
  }
}

export function isIdleTimeout(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_IDLE_MS
}
