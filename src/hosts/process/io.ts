/** The outputs of a host. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** True if a person sits at stdout. */
  readonly isTerminal: boolean
  /** How many characters fit into a line, as it is now. */
  readonly width: () => number
  /** Aborted when the reader of stdout is gone. */
  readonly unread: AbortSignal
}

const unread = new AbortController()
/** Of a terminal that does not tell. */
const USUAL_WIDTH = 80

export const processIo: Io = {
  out: text => {
    process.stdout.write(text)
  },
  err: text => {
    process.stderr.write(text)
  },
  isTerminal: process.stdout.isTTY === true,
  width: () => process.stdout.columns || USUAL_WIDTH,
  unread: unread.signal,
}

/** A reader of our output may leave early. The work stays done, and the exit code still tells of it. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      if (!('code' in error && error.code === 'EPIPE')) throw error
      if (stream === process.stdout) unread.abort()
    })
  }
}
