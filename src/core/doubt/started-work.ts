/** The work that was started for a call whose outcome is unknown, and whether it still runs (P3). */

/** The started work, recorded when the hold in doubt is opened. */
export interface StartedWork {
  /** `command`: the command of the call, a process of its own. `owner`: the process in which its tool ran. */
  readonly what: 'command' | 'owner'
  /** The process, named like owners of leases: `place:pid:start`. */
  readonly process: string
  /** ISO time. */
  readonly since: string
}

/** `unknown`: it was started on another host or in another container, or this system does not distinguish processes. */
export type WorkStanding = 'running' | 'ended' | 'unknown'

/** The state of the work of a call in doubt when its hold was read. */
export interface StillRunning {
  readonly standing: WorkStanding
  /** The last status of the shell of a command that ended (`RecordedCommand`); `null` if it is not known. */
  readonly last_status: number | null
  /** The output of a command, as far as it was kept. */
  readonly printed: PrintedOutput | null
  /** In words, with what can be done about it. */
  readonly text: string
}

/** The beginning and the end of each of its streams. */
export interface PrintedOutput {
  readonly stdout: string
  readonly stderr: string
}

type Work = Pick<StartedWork, 'process' | 'since'> & {
  readonly status: number | null
  readonly printed: PrintedOutput | null
}
type Placed = Pick<StartedWork, 'process' | 'since'>

/** The text for each kind of work, by its state. */
const TELLERS: Record<StartedWork['what'], Record<WorkStanding, (work: Work) => string>> = {
  command: {
    running: work =>
      `It is still running (${processText(work)}). Wait for its end, stop it, or leave it; ` +
      'it cannot be run again before it ended.',
    ended: ({ status, printed }) => `It has ended${statusText(status)}. ${printedText(printed)}`,
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
  now: { readonly standing: WorkStanding; readonly status?: number | null; readonly printed?: PrintedOutput | null },
): StillRunning {
  const { standing, status = null, printed = null } = now
  const text = TELLERS[work.what][standing]({ ...work, status, printed })
  return { standing, last_status: status, printed, text }
}

/** P11: a signal may have ended the shell, and then the status is not that of the command that it cut off. */
function statusText(status: number | null): string {
  if (status === null) return ', and its exit code is not known'
  return `. The last status of its shell was ${status}: its exit code if it came to its end, or that of an earlier command if a signal ended it`
}

/** The printed text itself is shown only with the hold: a plugin that hides secrets in results has not seen it. */
function printedText(printed: PrintedOutput | null): string {
  if (printed === null) return 'What it printed is lost, so look at what it did.'
  return printed.stdout === '' && printed.stderr === '' ? 'It printed nothing.' : 'What it printed was kept.'
}

/** `process 4711 on build-1, since 12:00:03`. */
export function processText({ process, since }: Placed): string {
  return `process ${pidOf({ process })} on ${hostOf({ process })}, since ${since}`
}

function elsewhere(work: Placed): string {
  return `it was started as ${processText(work)}, which cannot be looked at from here`
}

function pidOf({ process }: Pick<Placed, 'process'>): string {
  return process.split(':')[1] ?? process
}

function hostOf({ process }: Pick<Placed, 'process'>): string {
  return process.split(/[/:]/, 1)[0] ?? process
}

/** Why the outcome of a call was not recorded, by the state of the process that ran it. */
export const WHY_UNWRITTEN: Record<WorkStanding, string> = {
  ended: 'its process ended before it wrote down what came of it',
  running: 'its process lost its lease before it wrote down what came of it',
  unknown: 'its process renewed its lease no more, and had not written down what came of it',
}
