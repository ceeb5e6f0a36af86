import { RefusedError } from '../../core/errors.ts'

export interface Busy {
  /** The process that advances the run. */
  readonly owner: string
  /** It renews its lease by then, ISO time. */
  readonly until: string
}

export function busyRun({ owner, until }: Busy): RefusedError {
  const who = `Another process (${busyWords({ owner, until })})`
  return new RefusedError('busy', `${who} is advancing this run, so nothing was done.`, {
    action: { do: 'wait_for_run' },
    details: { owner, until },
  })
}

export function busyWords({ owner, until }: Busy): string {
  return `${owner}, until ${until.slice(11, 19)} UTC or longer`
}
