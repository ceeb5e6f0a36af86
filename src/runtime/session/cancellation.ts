import { isInterrupted } from '../../core/journal/may-run.ts'
import type { RunSession } from './run-session.ts'
import { CancelledError, InterruptedError } from './run-signals.ts'

/** The parts of a session that listen to other writers. */
type Listening = Pick<RunSession, 'run' | 'signals' | 'underway' | 'news' | 'catchUp'>

/**
 * Runs `work` while it listens to other writers: a cancel reaches it at once. Nothing may be staged. If the work does
 * not stop when asked, it is abandoned, and its later results do not count. Calls `onNews` each time others' events
 * were applied. @throws what `work` throws, or the signal's reason if the work was stopped.
 */
export async function whileCancellable<T>(
  session: Listening,
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

/** The promise resolves to false when `result` settles. */
function overOf(result: Promise<unknown>): { readonly promise: Promise<false>; isSo(): boolean } {
  let isOver = false
  const finish = (): false => {
    isOver = true
    return false
  }
  return { promise: result.then(finish, finish), isSo: () => isOver }
}

/** Resolves when a call under way is finished, another process wrote, or the run is to stop. Nothing may be staged. */
export async function somethingHappens(session: Listening): Promise<void> {
  const finished = session.underway.finished.then(() => false)
  using stopped = session.signals.stopped()
  if (await Promise.race([finished, stopped.promise, session.news()])) await hear(session)
}

async function hear(session: Listening): Promise<void> {
  await session.catchUp()
  const { cancel } = session.run
  if (cancel) session.signals.stop(new CancelledError(cancel.by))
  else if (isInterrupted(session.run)) session.signals.stop(new InterruptedError())
}
