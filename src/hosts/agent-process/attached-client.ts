/** A connection, from its first line to its end. Its phase names what it may do, and owns what belongs to it. */
import type { Socket } from 'node:net'
import {
  type AgentFrame,
  type ClientFrame,
  FRAME_ERRORS,
  FRAME_PROTOCOL,
  type FrameErrorCode,
  type HelloFrame,
} from '../../core/fleet/frames.ts'
import { readClientFrame, readHello } from '../../core/fleet/read-frame.ts'
import type { WriterClient } from '../../core/fleet/writer-lease.ts'
import { fault } from './agent-verbs.ts'
import { ClientOutput, lineOf, type OutputDeps, readLines } from './client-output.ts'

/** Time for the `hello` of a client, in milliseconds. */
const HELLO_MS = 2_000
/** Time for a leaving client to read the last frames, in milliseconds. */
const FAREWELL_MS = 1_000

type Phase =
  | { readonly is: 'unknown'; readonly late: NodeJS.Timeout }
  | { readonly is: 'arriving' }
  | { readonly is: 'attached'; readonly who: WriterClient; readonly output: ClientOutput }
  | { readonly is: 'gone' }

interface ClientDeps {
  readonly socket: Socket
  /** Milliseconds since 1970. */
  now(): number
  /** Admits the client, or throws: then it is turned away. */
  arrive(client: AttachedClient, hello: HelloFrame): Promise<void>
  answer(client: AttachedClient, frame: ClientFrame): Promise<AgentFrame>
  leave(client: AttachedClient): void
}

export class AttachedClient {
  readonly #deps: ClientDeps
  #phase: Phase
  readonly #frames: UnansweredFrames
  /** When it was heard last. */
  heardAt: number

  constructor(deps: ClientDeps) {
    this.#deps = deps
    this.heardAt = deps.now()
    const late = setTimeout(() => this.#turnAway('forbidden', 'No hello came in time.'), HELLO_MS).unref()
    this.#phase = { is: 'unknown', late }
    const { socket } = deps
    this.#frames = new UnansweredFrames({
      socket,
      isFull: () => this.output?.isFull === true,
      answer: line => this.#answer(line),
      failed: () => this.#cut(),
    })
    socket.unref()
    socket.on('error', () => {}).on('close', () => this.#gone())
    readLines(socket, line => this.#read(line))
  }

  /** `null` before it was admitted, and once it has left. */
  get who(): WriterClient | null {
    return this.#phase.is === 'attached' ? this.#phase.who : null
  }

  get output(): ClientOutput | null {
    return this.#phase.is === 'attached' ? this.#phase.output : null
  }

  /** From here on it is sent what happens. */
  admit(who: WriterClient, welcome: AgentFrame, output: Omit<OutputDeps, 'socket'>): void {
    if (this.#phase.is !== 'arriving') return
    const { socket } = this.#deps
    this.#phase = { is: 'attached', who, output: new ClientOutput({ socket, ...output }) }
    this.#phase.output.say(welcome)
    this.#phase.output.begin()
  }

  /** Sends the reason, and ends the connection. */
  dismiss(frame: AgentFrame): void {
    const { socket } = this.#deps
    if (socket.writable) socket.end(lineOf(frame))
    setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
  }

  /** Once its frames until now are answered, as far as it reads the answers. */
  answered(): Promise<void> {
    return this.#frames.answered()
  }

  #read(line: string | null): void {
    this.heardAt = this.#deps.now()
    if (line === null) this.#turnAway('too_large', 'A line has at most 1 MiB.')
    else if (this.#phase.is === 'unknown') this.#greet(line)
    else this.#frames.add(line)
  }

  #greet(line: string): void {
    if (this.#phase.is === 'unknown') clearTimeout(this.#phase.late)
    this.#phase = { is: 'arriving' }
    const read = readHello(line)
    if ('fault' in read) this.#turnAway('bad_frame', `${read.fault.message} A hello comes first.`)
    else if (read.frame.protocol !== FRAME_PROTOCOL)
      this.#turnAway('unsupported_protocol', `This agent speaks version ${FRAME_PROTOCOL} of the frames.`)
    else this.#frames.startAfter(this.#deps.arrive(this, read.frame))
  }

  async #answer(line: string): Promise<void> {
    if (this.#phase.is !== 'attached') return
    const read = readClientFrame(line)
    const { output } = this.#phase
    if ('fault' in read) output.say(fault(read.fault.input_id, 'bad_frame', read.fault.message))
    else output.say(await this.#deps.answer(this, read.frame))
  }

  /** The store failed, perhaps: the client may come again. */
  #cut(): void {
    this.#deps.socket.destroy()
  }

  #turnAway(code: FrameErrorCode, message: string): void {
    this.dismiss(fault(undefined, code, message))
  }

  refuse(code: FrameErrorCode, message: string): void {
    if (FRAME_ERRORS[code].ends) this.#turnAway(code, message)
    else this.output?.say(fault(undefined, code, message))
  }

  #gone(): void {
    const { is } = this.#phase
    if (this.#phase.is === 'unknown') clearTimeout(this.#phase.late)
    if (is === 'attached') this.#deps.leave(this)
    this.#phase = { is: 'gone' }
  }
}

interface UnansweredFramesDeps {
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
class UnansweredFrames {
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
