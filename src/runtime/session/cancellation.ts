import { HoldpointError } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { isInterrupted } from '../../core/journal/may-run.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunSession } from './run-session.ts'
import { CutShortError } from './run-signals.ts'

/** The run was cancelled: work under way is to stop. */
export class CancelledError extends CutShortError {
  readonly code = 'cancelled'
  readonly because: string

  constructor(by: string) {
    super(`${by} cancelled the run.`)
    this.because = `${by} cancelled the run`
  }
}

/** A message came for which work under way is to stop. The run goes on with it. */
export class InterruptedError extends CutShortError {
  readonly code = 'interrupted'
  readonly because = 'a new message interrupted it'

  constructor() {
    super('A message came that interrupts the run.')
  }
}

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

/** How long what is told to stop may take to come to its end, in milliseconds. */
export const GRACE_MS = 10_000

/** It was told to stop, and the grace is over. */
class DeafError extends HoldpointError {
  readonly code = 'did_not_stop'

  constructor() {
    super('it was told to stop, and did not in time.')
  }
}

/**
 * As `whileCancellable`, but events may be staged. Of other writers' events only those that stop work count now; the rest
 * is taken in later. Work that must come `toTheEnd` is told to stop too, and then gets the grace period.
 */
export async function orCancelled<T>(session: RunSession, result: Promise<T>, toTheEnd: boolean): Promise<T> {
  const { signals, runtime } = session
  const over = overOf(result)
  using stopped = signals.stopped()
  using grace = toTheEnd ? graceAfter(runtime.clock, stopped.promise) : null
  const end = Promise.race([over.promise, grace?.over ?? stopped.promise])
  let seq = session.durableSeq
  while (await Promise.race([end, signals.newsBeyond(seq)])) seq = await lookForCancel(session, seq)
  if (over.isSo()) return result
  if (!toTheEnd) signals.throwIfStopped()
  throw new DeafError()
}

/** Begins once it was stopped; disposed of, it ends. */
function graceAfter(clock: Clock, stopped: Promise<false>): Disposable & { readonly over: Promise<false> } {
  const enough = new AbortController()
  const ended = (): false => false
  const over = stopped.then(() => clock.sleep(GRACE_MS, enough.signal).then(ended, ended))
  return { over, [Symbol.dispose]: () => enough.abort() }
}

async function lookForCancel(session: RunSession, seq: number): Promise<number> {
  const events = await session.peek(seq)
  for (const event of events) {
    const by = cancellerIn(event)
    if (by !== null) session.signals.stop(new CancelledError(by))
    else if (event.kind === 'message.queued' && event.data.interrupt) session.signals.stop(new InterruptedError())
  }
  return events.at(-1)?.seq ?? seq
}

function cancellerIn({ kind, data }: JournalEvent): string | null {
  if (kind === 'cancel.requested') return data.by
  return kind === 'hold.expired' && data.ends_run ? data.decision.decided_by : null
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
