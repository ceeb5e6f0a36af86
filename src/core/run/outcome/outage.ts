/**
 * What a run does while its model fails: another one stands in for it, or, if nobody watches the run, it waits for the
 * provider without a process (P6).
 */
import type { Amount } from '../../count.ts'
import { isoTime } from '../../text/iso-time.ts'

/** Why a run waits for the provider of its model, and until when. Times are ISO. */
export interface Outage {
  /** The code and the message of the newest failure. */
  readonly code: string
  readonly message: string
  /** When the model first did not answer. */
  readonly since: string
  /** How many times in a row the run was taken up for it, and the model did not answer. */
  readonly failures: Amount
  /** When the model is asked again. */
  readonly retry_at: string
  /** Set once in an outage: on the failure by which it becomes longer than a minute. Notices tell people of it. */
  readonly becomes_long?: true
}

interface Failed {
  readonly code: string
  readonly message: string
  /** The wait that the provider asked for, in milliseconds; `null` if it named none. */
  readonly retryAfterMs: number | null
}

interface Terms {
  readonly now: number
  /** How long the run waits in all, in milliseconds. */
  readonly giveUpAfterMs: number
  /** From 0 to 1: spreads runs that failed at the same moment. */
  readonly spread: number
}

/** As long as a ready run may wait for a worker (`PATIENCE_MS` of stuck runs). */
const GRACE_MS = 60_000
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 5 * 60_000
/** Nobody hears of an outage that is no longer. */
const LONG_MS = 60_000
/** A provider that asks for a longer wait is asked again after this one. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000

/** The outage with one more failure; `null` if the run has waited long enough. */
export function outageAfter(
  before: Outage | null,
  failed: Failed,
  { now, giveUpAfterMs, spread }: Terms,
): Outage | null {
  const { code, message } = failed
  const since = before ? Date.parse(before.since) : now
  const failures = (before?.failures ?? 0) + 1
  const usual = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
  const asked = Math.min(failed.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
  // Half of the usual wait is spread; never before the time that the provider named.
  const retryAt = Math.round(now + Math.max(asked, usual / 2) + (usual / 2) * spread)
  if (retryAt - since > giveUpAfterMs) return null
  const becomesLong = retryAt - since > LONG_MS && !(before && isLong(before))
  return {
    ...{ code, message, since: isoTime(since), failures, retry_at: isoTime(retryAt) },
    ...(becomesLong && { becomes_long: true }),
  }
}

function isLong({ since, retry_at }: Outage): boolean {
  return Date.parse(retry_at) - Date.parse(since) > LONG_MS
}

/**
 * ISO time until which a run waits for the provider of its model; `null` if it does not. Nobody has to take it up on the
 * second: it counts as waiting until it could have been.
 */
export function waitsForModelUntil({ retry_at }: { readonly retry_at: string | null }, now: number): string | null {
  return retry_at !== null && now - Date.parse(retry_at) < GRACE_MS ? retry_at : null
}

/** As a sentence for people. */
export function outageWords({ message }: Outage): string {
  return `The provider of the model takes no requests now, and the run waits for it. ${message}`
}

/** From here on the run asks another model. */
export interface ModelSwitch {
  readonly from: string
  /** `null`: the run's own model. */
  readonly to: string | null
  /** Why: the code and the message of the failure. */
  readonly code: string
  readonly message: string
}

/** The model that stands in for the run's own, since when (ISO time). */
export interface StandIn {
  readonly model: string
  readonly since: string
}

/** The run's own model is asked again after so many milliseconds. */
const BACK_AFTER_MS = 5 * 60_000

/** The model to ask in place of the run's own; `null` for its own. */
export function standInNow(standIn: StandIn | null, now: number): string | null {
  return standIn === null || now - Date.parse(standIn.since) >= BACK_AFTER_MS ? null : standIn.model
}

/** Its own model is back once it answered. */
export function standInAfter(standIn: StandIn | null, { model }: { readonly model: string }): StandIn | null {
  return standIn?.model === model ? standIn : null
}

/** The model to ask after `asked` failed, where `null` is the run's own; `null` if none is left. */
export function nextModel(fallbacks: readonly string[], asked: string | null): string | null {
  const at = asked === null ? -1 : fallbacks.indexOf(asked)
  return fallbacks[at + 1] ?? null
}

/** As a sentence for people. */
export function switchWords({ from, to, message }: ModelSwitch): string {
  return `${from} failed, so ${to ?? 'the usual model'} is asked instead. ${message}`
}
