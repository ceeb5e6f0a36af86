import { type Interactive, USUAL_INTERACTIVE } from '../settings/interactive-settings.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

/** The longest time that a timer can wait for: some 24 days. */
export const LONGEST_IDLE_MS: number = 2 ** 31 - 1

/** The field of a task's details. */
export const INTERACTIVE = 'interactive'

/** `null` if the task is not interactive: its process exits at each rest of its run. */
export function interactiveOf(details: JsonObject): Interactive | null {
  const given: Json | undefined = isJsonObject(details) ? details[INTERACTIVE] : undefined
  if (given === undefined || !isJsonObject(given)) return null
  const { idle_timeout_ms, on_idle } = given
  return {
    idle_timeout_ms: isIdleTimeout(idle_timeout_ms) ? idle_timeout_ms : USUAL_INTERACTIVE.idle_timeout_ms,
    on_idle: on_idle === 'park' ? 'park' : 'end',
  }
}

export function isIdleTimeout(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_IDLE_MS
}
