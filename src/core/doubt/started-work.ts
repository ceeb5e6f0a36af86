/** What was started for a call before nobody knew its outcome any more, and whether it still runs (P3). */

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
  /** Of the shell of a command that ended (`RecordedCommand`); `null` if it is not known. */
  readonly last_status: number | null
  /** In words, with what can be done about it. */
  readonly text: string
}

type Work = Pick<StartedWork, 'process' | 'since'> & { readonly status?: number | null }

/** How each is told, by what it is. */
const TELLERS: Record<StartedWork['what'], Record<WorkStanding, (work: Work) => string>> = {
  command: {
    running: work =>
      `It is still running (${processText(work)}). Wait for its end, stop it with \`kill -- -${pidOf(work)}\`, or leave it; ` +
      'it cannot be run again before it ended.',
    ended: ({ status = null }) => `It has ended${statusText(status)}. What it printed is lost, so look at what it did.`,
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
  { standing, status = null }: { readonly standing: WorkStanding; readonly status?: number | null | undefined },
): StillRunning {
  return { standing, last_status: status, text: TELLERS[work.what][standing]({ ...work, status }) }
}

/** P11: a signal may have ended the shell, and then the status says nothing of the command that it cut off. */
function statusText(status: number | null): string {
  if (status === null) return ', and its exit code is not known'
  return `. The last status of its shell was ${status}: its exit code if it came to its end, or that of an earlier command if a signal ended it`
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
