/**
 * The output to one client. A client that does not read costs at most `MOST_WAITING` bytes, and delays no other one.
 * O1  Each durable event is sent once, in order: a slow client reads the missed ones from the journal.
 * O2  Missed pieces of text are left out, and the client gets their number.
 */
import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import type { AgentFrame } from '../../core/fleet/frames.ts'
import type { JournalEvent } from '../../core/journal/event.ts'

/** Bytes of one line, at most. */
export const MOST_FRAME_BYTES: number = 1024 * 1024
/** Bytes that wait for one client, at most. */
const MOST_WAITING = 4 * 1024 * 1024 - MOST_FRAME_BYTES
/** While a client reads the journal, more is read once less than this waits. */
const ENOUGH_WAITING = 512 * 1024
const PAGE = 50

/**
 * `reading`: missed events are read from the journal. `behind`: nothing is sent until the client has read what waits.
 */
type Phase = { readonly is: 'reading' } | { readonly is: 'live' } | { readonly is: 'behind'; missed: number }

export interface OutputDeps {
  readonly socket: Socket
  /** The last `seq` that it has. */
  readonly since: number
  /** Events after `seq`, oldest first. */
  read(seq: number, limit: number): Promise<readonly JournalEvent[]>
  /** The newest `seq` that all live clients were sent. */
  told(): number
}

export class ClientOutput {
  readonly #deps: OutputDeps
  #phase: Phase = { is: 'reading' }
  #seq: number
  #mentioned: Buffer | null = null

  constructor(deps: OutputDeps) {
    this.#deps = deps
    this.#seq = deps.since
    deps.socket.on('drain', () => this.#drained())
  }

  /** True while the client has to read before it is answered again. */
  get isFull(): boolean {
    return this.#deps.socket.writableLength >= MOST_WAITING
  }

  begin(): void {
    void this.#catchUp().catch(() => this.#deps.socket.destroy())
  }

  /** An answer to the client itself. */
  say(frame: AgentFrame): void {
    if (this.#deps.socket.writable) this.#deps.socket.write(lineOf(frame))
  }

  /** Sends a line for all clients; `seq` is `null` for a piece of text. */
  tell(line: Buffer, seq: number | null): void {
    if (this.#phase.is === 'reading' || (seq !== null && seq <= this.#seq)) return
    if (this.#phase.is === 'live' && this.#deps.socket.writableLength + line.length > MOST_WAITING)
      this.#phase = { is: 'behind', missed: 0 }
    if (this.#phase.is === 'behind') {
      if (seq === null) this.#phase.missed++
      return
    }
    this.#seq = seq ?? this.#seq
    this.#deps.socket.write(line)
  }

  /** Sends the status of the agent, if it is news. A client that does not read gets the next one. */
  mention(line: Buffer): void {
    if (this.#mentioned?.equals(line)) return
    this.#mentioned = line
    if (this.#deps.socket.writableLength + line.length <= MOST_WAITING) this.#deps.socket.write(line)
  }

  #drained(): void {
    if (this.#phase.is !== 'behind') return
    this.say({ type: 'lagged', missed: this.#phase.missed, since: this.#seq })
    this.#phase = { is: 'reading' }
    this.begin()
  }

  async #catchUp(): Promise<void> {
    const { socket, read, told } = this.#deps
    while (!socket.destroyed) {
      const page = await read(this.#seq, PAGE)
      if (page.length === 0 && this.#seq >= told()) break
      for (const event of page) {
        await this.#room()
        if (socket.destroyed) return
        socket.write(eventLine(event))
        this.#seq = event.seq
      }
    }
    this.#phase = { is: 'live' }
  }

  async #room(): Promise<void> {
    const { socket } = this.#deps
    if (socket.destroyed || socket.writableLength < ENOUGH_WAITING) return
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.once('drain', resolve).once('close', resolve)
    await promise
    socket.off('drain', resolve).off('close', resolve)
  }
}

export function lineOf(frame: AgentFrame): Buffer {
  return Buffer.from(`${JSON.stringify(frame)}\n`)
}

/** An event that is longer than a line may be is sent without its data, which is in the store. */
export function eventLine(event: JournalEvent): Buffer {
  const line = lineOf({ type: 'event', event })
  if (line.length <= MOST_FRAME_BYTES) return line
  const { data: _, ...rest } = event
  return lineOf({ type: 'event', event: { ...rest, data: {} } as unknown as JournalEvent, omitted_bytes: line.length })
}

/** Calls back with each line that arrives; `null` for one that is too long, after which nothing more is read. */
export function readLines(socket: Socket, onLine: (line: string | null) => void): void {
  const decoder = new StringDecoder('utf8')
  let open: string[] = []
  let bytes = 0
  const fits = (part: string) => {
    bytes += Buffer.byteLength(part)
    open.push(part)
    return bytes <= MOST_FRAME_BYTES
  }
  const end = () => {
    const line = open.join('')
    open = []
    bytes = 0
    if (line.trim() !== '') onLine(line)
  }
  socket.on('data', (chunk: Buffer) => {
    for (const [index, part] of decoder.write(chunk).split('\n').entries()) {
      if (index > 0) end()
      if (fits(part)) continue
      open = []
      socket.pause()
      socket.removeAllListeners('data')
      onLine(null)
      return
    }
  })
}
