/** The callbacks by which an engine hands work to a worker. */
export interface Dispatched {
  /** This run may be ready. The engine counts it as under way until the promise settles; if it rejects, the run goes back. */
  readonly onRun: (runId: string) => Promise<void>
  /** Called when a deadline of a hold has passed. */
  readonly onDue: () => void
}

/** How an engine hands over. */
export interface DispatchOptions {
  /** Runs under way at once, at most. */
  readonly concurrency: number
  /** When it is aborted, nothing more is handed over. */
  readonly signal: AbortSignal
}

/**
 * An engine that spreads the ready runs of a store over its workers: it hands each run to one of them, at once. It only
 * wakes. The lease and its fence decide who advances a run (P7), so it may hand over a run twice. Each worker also
 * looks at the store, so it may lose one.
 */
export interface Dispatcher {
  /** Resolves after the signal is aborted, as soon as nothing is under way. Never rejects: it tries again what fails. */
  dispatch(to: Dispatched, options: DispatchOptions): Promise<void>
}
