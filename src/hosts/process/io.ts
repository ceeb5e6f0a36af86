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
  /** False if the terminal does not tell its width. */
  readonly hasSize: () => boolean
  /** Aborted when the reader of stdout is gone. */
  readonly unread: AbortSignal
}

const unread = new AbortController()
/** Of a terminal that does not tell. */
const USUAL_WIDTH = 80
const USUAL_HEIGHT = 24

export const processIo: Io = {
  out: text => {
    process.stdout.write(text)
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

/**
 * A reader of our output may leave early, a disk may be full, a terminal may be closed. The work stays done, and the exit
 * code still tells of it.
 */
export function tolerateLostOutput(): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', error => {
    if (!unread.signal.aborted && !isReaderGone(error))
      process.stderr.write(
        `The output could not be written: ${error.message}. The exit code still tells how it ended, and the store has it all.\n`,
      )
    unread.abort()
  })
}

/** Then there is nothing to tell: a reader who leaves has read enough. */
function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'EIO'
}
