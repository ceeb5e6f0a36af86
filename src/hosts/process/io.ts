import { fstatSync, writeSync } from 'node:fs'

/** The outputs of a host. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** True if a person sits at stdout. */
  readonly isTerminal: boolean
  /** True if a person sits at stderr. */
  readonly isErrTerminal: boolean
  /** How many characters fit into a line, as it is now. */
  readonly width: () => number
  /** How many lines a terminal shows at once, as it is now. */
  readonly height: () => number
  /** False if the terminal does not report its width. */
  readonly hasSize: () => boolean
  /** Aborted when the reader of stdout is gone. */
  readonly unread: AbortSignal
}

const unread = new AbortController()
/** Size of a terminal that does not report it. */
const USUAL_WIDTH = 80
const USUAL_HEIGHT = 24

export const processIo: Io = {
  out: text => {
    if (isOnDisk()) writeWhole(text)
    else process.stdout.write(text)
  },
  err: text => {
    process.stderr.write(text)
  },
  isTerminal: process.stdout.isTTY === true,
  isErrTerminal: process.stderr.isTTY === true,
  width: () => process.stdout.columns || process.stderr.columns || USUAL_WIDTH,
  height: () => process.stdout.rows || USUAL_HEIGHT,
  hasSize: () => (process.stdout.columns ?? 0) > 0,
  unread: unread.signal,
}

const STDOUT = 1

function isOnDisk(): boolean {
  const kind = fstatSync(STDOUT)
  return kind.isFile() || (kind.isCharacterDevice() && !processIo.isTerminal)
}

/** Node's own stream takes a write for done of which a full disk took the first half. */
function writeWhole(text: string): void {
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(STDOUT, bytes, at)
  } catch (thrown) {
    loseOutput(thrown as NodeJS.ErrnoException)
  }
}

/** True if what is on stdout is what the command was called for. */
let isWork = true

/** Called by runs: the exit code reports how a run ended, even if no output can be written. */
export function exitCodeTells(): void {
  isWork = false
}

/**
 * A reader of our output may leave early, a disk may be full, a terminal may be closed. Work that was done remains
 * done. The exit code of a run still reports it; any other command whose output was lost has failed.
 */
export function tolerateLostOutput(): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', loseOutput)
}

function loseOutput(error: NodeJS.ErrnoException): void {
  if (!unread.signal.aborted && !isReaderGone(error)) tellLost(error)
  unread.abort()
}

function tellLost({ message }: Error): void {
  if (isWork) process.once('exit', () => (process.exitCode ||= 1))
  const meaning = isWork
    ? 'What is there is not all of it. What the command did is in the store; run it again, or ask for it, where there is room.'
    : 'The exit code still tells how it ended, and the store has it all.'
  process.stderr.write(`The output could not be written: ${message}. ${meaning}\n`)
}

/** A reader who leaves has read enough, so there is nothing to report. */
function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || (error.code === 'EIO' && processIo.isTerminal)
}
