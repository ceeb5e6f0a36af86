/** What was started for a call before nobody knew its outcome any more, and whether it still runs (P3). */

import type { JsonObject } from '../text/json.ts'

/** Noted in the hold in doubt when it is opened. */
export interface StartedWork {
  /** `command`: the command of the call, a process of its own. `owner`: the process in which its tool ran. */
  readonly what: 'command' | 'owner'
  /** As owners of leases are named: `place:pid:start`. */
  readonly process: string
  /** ISO time. */
  readonly since: string
}

/** `unknown`: it was started on another host or in another container, or this system does not tell processes apart. */
export type WorkStanding = 'running' | 'ended' | 'unknown'

/** Where the work of a call in doubt stands, as of when its hold was read. */
export interface StillRunning {
  readonly standing: WorkStanding
  /** Of a command that ended and could write it down; `null` otherwise. */
  readonly exit_code: number | null
  /** In words, with what can be done about it. */
  readonly text: string
}

type Work = Pick<StartedWork, 'process' | 'since'> & { readonly exit?: number | null }

/** How each is told, by what it is. */
const TELLERS: Record<StartedWork['what'], Record<WorkStanding, (work: Work) => string>> = {
  command: {
    running: work =>
      `It is still running (${processText(work)}). Wait for its end, stop it with \`kill -- -${pidOf(work)}\`, or leave it; ` +
      'it cannot be run again before it ended.',
    ended: ({ exit = null }) =>
      exit === null
        ? 'It has ended, and its exit code is not known. What it printed is lost, so look at what it did.'
        : `It has ended with exit code ${exit}; what it printed is lost. If that is the result, respond with ${JSON.stringify(exitResult(exit))}.`,
    unknown: work => `It may still be running: ${elsewhere(work)}.`,
  },
  owner: {
    running: work =>
      `The process that ran it still lives (${processText(work)}), so it may still be running. Wait for its end, or end ` +
      'that process; it cannot be run again before that.',
    ended: () => 'The process that ran it is gone.',
    unknown: work => `It may still be running: ${elsewhere(work)}.`,
  },
}

export function stillRunning(
  work: StartedWork,
  { standing, exit = null }: { readonly standing: WorkStanding; readonly exit?: number | null | undefined },
): StillRunning {
  return { standing, exit_code: exit, text: TELLERS[work.what][standing]({ ...work, exit }) }
}

/** The result of a command whose exit is all that is known. */
export function exitResult(exit_code: number): JsonObject {
  return { exit_code, note: 'The process that ran it ended first, so what it printed is lost.' }
}

/** `process 4711 on build-1, since 12:00:03`. */
export function processText({ process, since }: Work): string {
  return `process ${pidOf({ process })} on ${hostOf({ process })}, since ${since}`
}

function elsewhere(work: Work): string {
  return `it was started as ${processText(work)}, which cannot be looked at from here`
}

function pidOf({ process }: Pick<Work, 'process'>): string {
  return process.split(':')[1] ?? process
}

function hostOf({ process }: Pick<Work, 'process'>): string {
  return process.split(/[/:]/, 1)[0] ?? process
}

/** Why nobody wrote down what came of a call, by how the process that ran it stands. */
export const WHY_UNWRITTEN: Record<WorkStanding, string> = {
  ended: 'its process ended before it wrote down what came of it',
  running: 'its process lost its lease, or could not write, before it wrote down what came of it',
  unknown: 'its process ended, or lost its lease, before it wrote down what came of it',
}
