import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

export type StopSignal = (typeof SIGNALS)[number]

/** Why a run was asked to stop: a signal to this process, or `null`: nothing in it can go on. */
export class Interruption extends Error {
  readonly signal: StopSignal | null

  constructor(signal: StopSignal | null) {
    super(signal === null ? 'nothing was left in its process that could go on' : `stopped by ${signal}`)
    this.signal = signal
  }
}

const EXIT_CODES: Record<StopSignal, number> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }

export function exitCodeOf(signal: StopSignal): number {
  return EXIT_CODES[signal]
}

export interface StopWatch extends Disposable {
  readonly signal: AbortSignal
  /** The signal that came; `null` while none did. */
  stoppedBy(): StopSignal | null
  /** `say` runs before a further signal ends the process. The signal after that ends the process at once. */
  beforeForcedExit(say: (signal: StopSignal) => Promise<void>): void
}

/** The first signal asks the run to stop at a safe point; a second one ends the process. */
export function watchForStop(): StopWatch {
  const stop = new AbortController()
  return { signal: stop.signal, ...watchInStages([stop]) }
}

export interface DrainWatch extends StopWatch {
  /** Aborted by a second signal. */
  readonly stopSignal: AbortSignal
}

/**
 * The first signal asks for nothing more to be begun, a second one for what is under way to stop at a safe point, and a
 * third one ends the process at once.
 */
export function watchForDrain(): DrainWatch {
  const [drain, stop] = [new AbortController(), new AbortController()]
  return { signal: drain.signal, stopSignal: stop.signal, ...watchInStages([drain, stop]) }
}

/** Without a listener a signal still ends the process, but in a way that lets it clean up. */
export function endOnSignal(): Disposable {
  return listen(
    signal => process.exit(exitCodeOf(signal)),
    signal => process.listenerCount(signal) === 0,
  )
}

/** Each signal aborts the next stage; the signal after the last stage ends the process. */
function watchInStages(stages: readonly AbortController[]): Omit<StopWatch, 'signal'> {
  const left = [...stages]
  let first: StopSignal | null = null
  let lastWords: ((signal: StopSignal) => Promise<void>) | null = null
  const forceExit = (signal: StopSignal) => {
    const say = lastWords
    lastWords = null
    const exit = () => process.exit(exitCodeOf(signal))
    if (say === null) exit()
    else void say(signal).then(exit, exit)
  }
  const listening = listen(signal => {
    first ??= signal
    const stage = left.shift()
    if (stage) stage.abort(new Interruption(signal))
    else forceExit(signal)
  })
  // P4: a tool that never settles, and holds nothing open, would end the process in silence and with 0.
  const stalled = () => left.shift()?.abort(new Interruption(null))
  process.on('beforeExit', stalled)
  return {
    stoppedBy: () => first,
    beforeForcedExit: say => {
      lastWords = say
    },
    [Symbol.dispose]: () => {
      process.off('beforeExit', stalled)
      listening[Symbol.dispose]()
    },
  }
}

let hearsCtrlC: (() => void) | null = null

/** While it is held, Ctrl+C is for who reads lines. A terminal that edits lines by itself makes a signal of it. */
export function hearCtrlC(pressed: () => void): Disposable {
  hearsCtrlC = pressed
  const outer = endOnSignal()
  return {
    [Symbol.dispose]: () => {
      hearsCtrlC = null
      outer[Symbol.dispose]()
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function listen(
  onSignal: (signal: StopSignal) => void,
  isWanted: (signal: StopSignal) => boolean = () => true,
): Disposable {
  const wanted = SIGNALS.filter(isWanted)
  const ignore = () => {}
  const orCtrlC = (signal: StopSignal) => (signal === 'SIGINT' && hearsCtrlC ? hearsCtrlC() : onSignal(signal))
  const listenerFor = (signal: StopSignal) => (signal === 'SIGHUP' && isBehindNohup(process.env) ? ignore : orCtrlC)
  for (const signal of wanted) process.on(signal, listenerFor(signal))
  return {
    [Symbol.dispose]: () => {
      for (const signal of wanted) process.off(signal, listenerFor(signal))
    },
  }
}

/**
 * `nohup` has SIGHUP ignored, but Node takes that back before any of our code runs. Two traces are left: some shells note
 * the program that they started, and in place of a terminal the standard input is a /dev/null that can only be written.
 */
function isBehindNohup({ _: program = '' }: Readonly<Record<string, string | undefined>>): boolean {
  return basename(program) === 'nohup' || isInputWriteOnly()
}

const ACCESS_MODE = 3
const WRITE_ONLY = 1

function isInputWriteOnly(): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'latin1'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & ACCESS_MODE) === WRITE_ONLY && readlinkSync('/proc/self/fd/0') === '/dev/null'
  } catch {
    return false
  }
}
