import { RefusedError } from '../errors.ts'

/** A run was to start from a state of the thread that is not its newest one. */
export function movedOn(threadId: string): RefusedError {
  return new RefusedError(
    'superseded',
    `Thread ${threadId} has moved on, so nothing was started from its older state.`,
    { action: { do: 'find_newest_checkpoint' } },
  )
}

/** A thread was to be exported as the caller saw it, and has moved on since. */
export function movedOnMeanwhile(threadId: string): RefusedError {
  return new RefusedError('superseded', `Thread ${threadId} has moved on meanwhile, so nothing was exported.`, {
    action: { do: 'find_newest_checkpoint' },
  })
}
