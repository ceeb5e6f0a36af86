/** Where a host writes. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** True where a person sits at stdout. */
  readonly isTerminal: boolean
}

export const processIo: Io = {
  out: text => {
    process.stdout.write(text)
  },
  err: text => {
    process.stderr.write(text)
  },
  isTerminal: process.stdout.isTTY === true,
}

/** Whoever read our output may leave early; what was done stays done, and the exit code still tells it. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      if ('code' in error && error.code === 'EPIPE') return
      throw error
    })
  }
}
