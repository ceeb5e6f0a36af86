/** A connection to the process of an agent: one JSON object a line, both ways. */
import { connect, type Socket } from 'node:net'
import { messageOf, RefusedError } from '../../../../core/errors.ts'
import { type AgentFrame, type ClientFrame, FRAME_PROTOCOL, type HelloFrame } from '../../../../core/fleet/frames.ts'
import type { AgentDoor } from '../../../../ports/store/fleet/presences.ts'

export type Hello = Pick<HelloFrame, 'role' | 'since' | 'actor' | 'client'>

export class AgentConnection implements Disposable {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket.setEncoding('utf8')
  }

  /** @throws RefusedError `not_attached` if its process cannot be reached, or speaks other frames. */
  static async open({ endpoint, token, protocol }: AgentDoor, hello: Hello): Promise<AgentConnection> {
    if (protocol !== FRAME_PROTOCOL)
      throw notAttached(
        `its process speaks version ${protocol} of the frames, and this program version ${FRAME_PROTOCOL}`,
      )
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(endpoint)
    socket.once('connect', resolve).once('error', thrown => reject(notAttached(messageOf(thrown))))
    await promise
    // What breaks later ends the frames.
    socket.on('error', () => {})
    const connection = new AgentConnection(socket)
    connection.#write({ type: 'hello', protocol: FRAME_PROTOCOL, token, ...hello })
    return connection
  }

  /** Until the process says no more, or the signal is aborted. */
  async *frames(signal: AbortSignal): AsyncGenerator<AgentFrame> {
    let rest = ''
    const leave = () => this.#socket.destroy()
    signal.addEventListener('abort', leave)
    try {
      for await (const chunk of this.#socket) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line) as AgentFrame
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

function notAttached(why: string): RefusedError {
  return new RefusedError('not_attached', `The process of the agent cannot be reached: ${why}.`, {
    hint: 'The agent goes on. `holdpoint agents logs` shows its conversation, and `holdpoint agents send` says something to it.',
  })
}
