import { isInterrupted } from '../../core/journal/may-run.ts'
import type { RunSession } from './run-session.ts'
import { CancelledError, InterruptedError } from './run-signals.ts'

/**
 * Does one thing while it listens to other writers: a cancel reaches it at once. Nothing may be staged. If the work
 * does not stop when told to, it is left alone, and its later results do not count. `onNews` is told each time that events
 * of others were taken in. @throws what `work` throws, or the signal's reason if the work was told to stop.
 */
export async function whileCancellable<T>(
  session: RunSession,
  work: (signal: AbortSignal) => Promise<T>,
  onNews: () => void = () => {},
): Promise<T> {
  const { signal } = session.signals
  session.signals.throwIfStopped()
  const result = work(signal)
  const over = overOf(result)
  using stopped = session.signals.stopped()
  while (await Promise.race([over.promise, stopped.promise, session.news()])) {
    await hear(session)
    onNews()
  }
  if (!over.isSo()) signal.throwIfAborted()
  return result.catch((thrown: unknown) => {
    signal.throwIfAborted()
    throw thrown
  })
}

/** Its promise resolves to false when `result` is there, or failed. */
function overOf(result: Promise<unknown>): { readonly promise: Promise<false>; isSo(): boolean } {
  let isOver = false
  const finish = (): false => {
    isOver = true
    return false
  }
  return { promise: result.then(finish, finish), isSo: () => isOver }
}

/** Resolves when a call under way is finished, another process wrote, or the run is to stop. Nothing may be staged. */
export async function somethingHappens(session: RunSession): Promise<void> {
  const finished = session.underway.finished.then(() => false)
  using stopped = session.signals.stopped()
  if (await Promise.race([finished, stopped.promise, session.news()])) await hear(session)
}

async function hear(session: RunSession): Promise<void> {
  await session.catchUp()
  const { cancel } = session.run
  if (cancel) session.signals.stop(new CancelledError(cancel.by))
  else if (isInterrupted(session.run)) session.signals.stop(new InterruptedError())
}
