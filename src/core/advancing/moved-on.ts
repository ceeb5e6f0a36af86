import { RefusedError } from '../errors.ts'

/** A run was to start from a state of the thread that is not its newest one. */
export function movedOn(threadId: string): RefusedError {
  return new RefusedError(
    'superseded',
    `Thread ${threadId} has moved on, so nothing was started from its older state.`,
    { action: { do: 'find_newest_checkpoint' } },
  )
}

/** A run was to go on from where it rested, and another process went on from there meanwhile. */
export function restedSince(runId: string): RefusedError {
  return new RefusedError('superseded', `Run ${runId} has come to rest elsewhere meanwhile, so nothing was done.`, {
    action: { do: 'find_newest_checkpoint' },
  })
}

/** A thread was to be exported as the caller saw it, and has moved on since. */
export function movedOnMeanwhile(threadId: string): RefusedError {
  return new RefusedError('superseded', `Thread ${threadId} has moved on meanwhile, so nothing was exported.`, {
    action: { do: 'find_newest_checkpoint' },
  })
}
