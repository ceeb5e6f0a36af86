export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Why a run was asked to stop: a signal to this process. */
export class Interruption extends Error {
  readonly signal: StopSignal

  constructor(signal: StopSignal) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

const EXIT_CODES: Record<StopSignal, number> = { SIGINT: 130, SIGTERM: 143 }

export function exitCodeOf(signal: StopSignal): number {
  return EXIT_CODES[signal]
}

export interface StopWatch extends Disposable {
  readonly signal: AbortSignal
  /** The signal that came; `null` while none did. */
  stoppedBy(): StopSignal | null
}

/** The first SIGINT or SIGTERM asks the run to stop at a safe point; a second one ends the process at once. */
export function watchForStop(): StopWatch {
  const stop = new AbortController()
  return { signal: stop.signal, ...watchInStages([stop]) }
}

export interface DrainWatch extends StopWatch {
  /** Aborted by a second signal. */
  readonly stopSignal: AbortSignal
}

/**
 * The first SIGINT or SIGTERM asks for nothing more to be begun, a second one for what is under way to stop at a safe
 * point, and a third one ends the process at once.
 */
export function watchForDrain(): DrainWatch {
  const [drain, stop] = [new AbortController(), new AbortController()]
  return { signal: drain.signal, stopSignal: stop.signal, ...watchInStages([drain, stop]) }
}

/** Without a listener a signal still ends the process, but in a way that lets it clean up. */
export function endOnSignal(): Disposable {
  const unheard = (['SIGINT', 'SIGTERM'] as const).filter(signal => process.listenerCount(signal) === 0)
  const end = (signal: StopSignal) => process.exit(exitCodeOf(signal))
  for (const signal of unheard) process.on(signal, end)
  return {
    [Symbol.dispose]: () => {
      for (const signal of unheard) process.off(signal, end)
    },
  }
}

/** Each signal aborts the next stage; the one behind the last ends the process. */
function watchInStages(stages: readonly AbortController[]): Pick<StopWatch, 'stoppedBy' | typeof Symbol.dispose> {
  const left = [...stages]
  let first: StopSignal | null = null
  const stop = (signal: StopSignal) => {
    const stage = left.shift()
    if (!stage) process.exit(exitCodeOf(signal))
    first ??= signal
    stage.abort(new Interruption(signal))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return {
    stoppedBy: () => first,
    [Symbol.dispose]: () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
    },
  }
}
