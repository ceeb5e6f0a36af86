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
  const controller = new AbortController()
  let stopped: StopSignal | null = null
  const stop = (signal: StopSignal) => {
    if (stopped) process.exit(exitCodeOf(signal))
    stopped = signal
    controller.abort(new Interruption(signal))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return {
    signal: controller.signal,
    stoppedBy: () => stopped,
    [Symbol.dispose]: () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
    },
  }
}
