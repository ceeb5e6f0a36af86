/** A connection to the process of an agent: one JSON object a line, both ways. */
import { connect, type Socket } from 'node:net'
import { onAbort } from '../../../async/on-abort.ts'
import { provePeer } from '../../../client/reach/prove-peer.ts'
import { messageOf, RefusedError } from '../../../core/errors.ts'
import { type AgentFrame, type ClientFrame, FRAME_PROTOCOL, type HelloFrame } from '../../../core/fleet/frames.ts'
import { readAgentFrame } from '../../../core/fleet/read-frame.ts'
import type { AgentDoor } from '../../../ports/store/fleet/presences.ts'
import { sessionRefusals } from '../../refusals/session-refusals.ts'

export type Hello = Pick<HelloFrame, 'role' | 'since' | 'actor' | 'client'>

/** Well below the minute after which a process takes a silent client for gone. */
const PING_MS = 20_000

export class AgentConnection implements Disposable {
  readonly #socket: Socket
  readonly #pings: NodeJS.Timeout
  readonly #proven = Promise.withResolvers<void>()

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
      throw sessionRefusals.notAttached(
        `its process speaks version ${protocol} of the frames, and this program version ${FRAME_PROTOCOL}`,
      )
    // It could not have one where sockets are kept, and said so when it started.
    if (endpoint === '') throw sessionRefusals.notAttached('it has no socket, and its output tells why')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(endpoint)
    const fail = (thrown: unknown) => reject(sessionRefusals.notAttached(messageOf(thrown), thrown))
    socket.once('connect', resolve).once('error', fail)
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
    using _leave = onAbort(signal, () => this.#socket.destroy())
    try {
      for await (const chunk of this.#socket) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const frame of lines.map(readAgentFrame).filter(isTold)) {
          this.#hear(frame)
          yield frame
        }
      }
    } catch {
      // It was cut: the store tells what became of the agent.
    }
  }

  /** A decision waits until this process has proven itself: without that it would be refused. */
  say(frame: ClientFrame): void {
    if (frame.type === 'decide') void this.#proven.promise.then(() => this.#write(frame))
    else this.#write(frame)
  }

  #hear(frame: AgentFrame): void {
    if (frame.type !== 'welcome') return
    const { peer } = frame
    this.#proven.resolve(peer && provePeer(peer.port, peer.secret))
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  #write(frame: ClientFrame | HelloFrame): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(frame)}\n`)
  }
}

function isTold(frame: AgentFrame | null): frame is AgentFrame {
  return frame !== null && frame.type !== 'pong'
}

/** True if no process listens there: it has just left, or was killed. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof RefusedError && thrown.code === 'not_attached' && thrown.cause !== undefined
}
