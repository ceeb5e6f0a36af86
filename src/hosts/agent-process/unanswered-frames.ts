import type { Socket } from 'node:net'

export interface UnansweredFramesDeps {
  readonly socket: Socket
  /** True while the client has to read before it is answered again. */
  isFull(): boolean
  answer(line: string): Promise<void>
  /** A frame could not be answered. */
  failed(): void
}

/**
 * The frames of one client that are not answered yet, in their order. Nothing is read from its socket while there are
 * any, and none is answered while too much waits for it: so a client that sends and never reads costs a bounded amount.
 */
export class UnansweredFrames {
  readonly #deps: UnansweredFramesDeps
  #lines: string[] = []
  #next = 0
  #isAnswering = false
  #work: Promise<void> = Promise.resolve()

  constructor(deps: UnansweredFramesDeps) {
    this.#deps = deps
    deps.socket.on('drain', () => this.#goOn())
  }

  /** Frames are answered once this is done. */
  startAfter(arrival: Promise<void>): void {
    this.#work = arrival.catch(() => this.#deps.failed())
  }

  add(line: string): void {
    this.#lines.push(line)
    this.#deps.socket.pause()
    this.#goOn()
  }

  /** Resolves once the frames until now are answered, except those for whose answers there is no room. */
  answered(): Promise<void> {
    return this.#work
  }

  #goOn(): void {
    if (this.#isAnswering || this.#lines.length === 0) return
    this.#isAnswering = true
    this.#work = this.#work.then(() => this.#answerAll()).catch(() => this.#deps.failed())
  }

  async #answerAll(): Promise<void> {
    const { socket, isFull, answer } = this.#deps
    try {
      while (this.#next < this.#lines.length && !isFull()) await answer(this.#lines[this.#next++] ?? '')
    } finally {
      this.#isAnswering = false
    }
    if (this.#next < this.#lines.length) return
    this.#lines = []
    this.#next = 0
    socket.resume()
  }
}
