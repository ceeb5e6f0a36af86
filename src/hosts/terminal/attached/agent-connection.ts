/** A connection to the process of an agent: one JSON object a line, both ways. */
import { connect, type Socket } from 'node:net'
import { messageOf, RefusedError } from '../../../core/errors.ts'
import { type AgentFrame, type ClientFrame, FRAME_PROTOCOL, type HelloFrame } from '../../../core/fleet/frames.ts'
import { readAgentFrame } from '../../../core/fleet/read-frame.ts'
import type { AgentDoor } from '../../../ports/store/fleet/presences.ts'

export type Hello = Pick<HelloFrame, 'role' | 'since' | 'actor' | 'client'>

/** Well below the minute after which a process takes a silent client for gone. */
const PING_MS = 20_000

export class AgentConnection implements Disposable {
  readonly #socket: Socket
  readonly #pings: NodeJS.Timeout

  private constructor(socket: Socket, pingMs: number) {
    this.#socket = socket.setEncoding('utf8')
    let n = 0
    this.#pings = setInterval(() => this.say({ type: 'ping', n: ++n }), pingMs).unref()
    socket.once('close', () => clearInterval(this.#pings))
  }

  /** @throws RefusedError `not_attached` if its process cannot be reached, or speaks other frames. */
  static async open(
    { endpoint, token, protocol }: Omit<AgentDoor, 'process'>,
    hello: Hello,
    { pingMs = PING_MS }: { readonly pingMs?: number } = {},
  ): Promise<AgentConnection> {
    if (protocol !== FRAME_PROTOCOL)
      throw notAttached(
        `its process speaks version ${protocol} of the frames, and this program version ${FRAME_PROTOCOL}`,
      )
    // It could not have one where sockets are kept, and said so when it started.
    if (endpoint === '') throw notAttached('it has no socket, and its output tells why')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(endpoint)
    socket.once('connect', resolve).once('error', thrown => reject(notAttached(messageOf(thrown), thrown)))
    await promise
    // A later error ends the frames.
    socket.on('error', () => {})
    const connection = new AgentConnection(socket, pingMs)
    connection.#write({ type: 'hello', protocol: FRAME_PROTOCOL, token, ...hello })
    return connection
  }

  /** Until the process says no more, or the signal is aborted. Answers to pings are left out. */
  async *frames(signal: AbortSignal): AsyncGenerator<AgentFrame> {
    let rest = ''
    const leave = () => this.#socket.destroy()
    signal.addEventListener('abort', leave)
    try {
      for await (const chunk of this.#socket) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const frame of lines.map(readAgentFrame)) if (frame !== null && frame.type !== 'pong') yield frame
      }
    } catch {
      // It was cut: the store tells what became of the agent.
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  say(frame: ClientFrame): void {
    this.#write(frame)
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  #write(frame: ClientFrame | HelloFrame): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(frame)}\n`)
  }
}

/** True if no process listens there: it has just left, or was killed. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof RefusedError && thrown.code === 'not_attached' && thrown.cause !== undefined
}

function notAttached(why: string, cause?: unknown): RefusedError {
  return new RefusedError('not_attached', `The process of the agent cannot be reached: ${why}.`, {
    hint: 'The agent goes on. `holdpoint agents logs` shows its conversation, and `holdpoint agents send` says something to it.',
    ...(cause !== undefined && { cause }),
  })
}
