/** Whether the process of a background agent stays while its run rests, and for how long. */

/** What becomes of an agent that is idle for too long: its run ends well, or its process goes and its run waits on. */
export type OnIdle = (typeof ON_IDLE)[number]

export const ON_IDLE = ['end', 'park'] as const

/** The settings of a flag, an agent or a project; `null` for missing ones. */
export interface InteractiveSettings {
  readonly interactive: boolean | null
  /** Seconds; 0: no limit. */
  readonly idle_timeout: number | null
  readonly on_idle: OnIdle | null
}

export const NO_INTERACTIVE_SETTINGS: InteractiveSettings = { interactive: null, idle_timeout: null, on_idle: null }

/** The settings that the task of an interactive agent keeps. */
export interface Interactive {
  /** Milliseconds; 0: no limit. */
  readonly idle_timeout_ms: number
  readonly on_idle: OnIdle
}

export const USUAL_INTERACTIVE: Interactive = { idle_timeout_ms: 300_000, on_idle: 'end' }

/** Seconds: a week. A timer can wait for three of them. */
export const LONGEST_IDLE_TIMEOUT = 604_800

/** Merges settings: the first with a value counts. `null`: the process exits when the run rests. */
export function stayingOf(all: readonly InteractiveSettings[]): Interactive | null {
  const interactive = all.map(each => each.interactive).find(setting => setting !== null)
  if (!interactive) return null
  const seconds = all.map(each => each.idle_timeout).find(setting => setting !== null)
  return {
    idle_timeout_ms: seconds === undefined ? USUAL_INTERACTIVE.idle_timeout_ms : Math.round(seconds * 1000),
    on_idle: all.map(each => each.on_idle).find(setting => setting !== null) ?? USUAL_INTERACTIVE.on_idle,
  }
}

/** The fault of each value, in words that continue its name; `null` if there is none. */
export const INTERACTIVE_FAULTS: { readonly [K in keyof InteractiveSettings]: (value: unknown) => string | null } = {
  interactive: value => (typeof value === 'boolean' ? null : `must be true or false, not ${JSON.stringify(value)}`),
  idle_timeout: value =>
    typeof value === 'number' && value >= 0 && value <= LONGEST_IDLE_TIMEOUT
      ? null
      : `must be seconds from 0 (no limit) to ${LONGEST_IDLE_TIMEOUT} (a week), not ${JSON.stringify(value)}`,
  on_idle: value =>
    (ON_IDLE as readonly unknown[]).includes(value)
      ? null
      : `must be one of ${ON_IDLE.join(', ')}, not ${JSON.stringify(value)}`,
}
