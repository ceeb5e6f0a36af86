import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { HoldpointError, messageOf } from '../../../core/errors.ts'

export type FindingStatus = 'ok' | 'warn' | 'fail'

/** The result of one check. */
export interface Finding {
  readonly check: string
  readonly status: FindingStatus
  readonly message: string
  /** The next step; `null` if there is nothing to do. */
  readonly hint: string | null
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, hint: null }
}

export function warn(check: string, message: string, hint: string | null): Finding {
  return { check, status: 'warn', message, hint }
}

export function fail(check: string, message: string, hint: string | null): Finding {
  return { check, status: 'fail', message, hint }
}

/** An error that came while something was looked at. */
export function failure(check: string, thrown: unknown): Finding {
  return fail(check, messageOf(thrown), thrown instanceof HoldpointError ? thrown.hint : null)
}

/** The limit of each item, in seconds, if none is given. */
export const USUAL_SECONDS = 20

/** Each item of the doctor has a time limit of its own: a late one reports that, and delays no other. */
export class TimeLimit {
  readonly seconds: number
  #isLate = false

  constructor(seconds: number) {
    this.seconds = seconds
  }

  /** True once an item was late. Its work continues until this process ends. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** `look` may take a little more than the limit, because a time limit of its own reports more. */
  async within(check: string, look: () => Promise<Finding | readonly Finding[]>): Promise<readonly Finding[]> {
    const over = new AbortController()
    const late = sleep(this.seconds * 1000 + GRACE_MS, null, { signal: over.signal }).then(() => this.#late(check))
    return Promise.race([look().then(findings => [findings].flat()), late]).finally(() => over.abort())
  }

  #late(check: string): Finding[] {
    this.#isLate = true
    return [lateFinding(check, this.seconds)]
  }
}

const GRACE_MS = 500

export function lateFinding(check: string, seconds: number): Finding {
  return fail(
    check,
    `not through within ${seconds} s`,
    'Give it more time with --timeout SECONDS, or see what keeps it.',
  )
}

interface Place {
  readonly cwd?: string
  readonly seconds: number
}

/** Output and exit code of a program: `null` if it could not be started. `late` if it was killed for its time. */
export function printedWithin(
  program: string,
  words: readonly string[],
  { seconds, ...place }: Place,
): Promise<Printed> {
  const { promise, resolve } = Promise.withResolvers<Printed>()
  const options = { ...place, timeout: Math.max(seconds * 1000, 1), killSignal: 'SIGKILL' as const }
  execFile(program, words, options, (failed, stdout) => {
    if (failed?.killed) resolve('late')
    else resolve({ exit: failed === null ? 0 : Number.isInteger(failed.code) ? Number(failed.code) : null, stdout })
  })
  return promise
}

type Printed = 'late' | { readonly exit: number | null; readonly stdout: string }
