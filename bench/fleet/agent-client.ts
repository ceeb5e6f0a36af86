import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { AgentDoor } from '../../src/ports/store/fleet/presences.ts'

export interface Frame {
  readonly type: string
  readonly n?: number
  readonly status?: string
  readonly event?: { readonly kind: string }
}

/** One connection to the process of an agent, on its wire. Frames are read only as long as one is waited for. */
export class AgentClient implements Disposable {
  readonly #socket: Socket
  readonly #frames: Frame[] = []
  #rest = ''
  #wake: (() => void) | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Not welcomed yet. */
  static async attach({ endpoint, token, protocol }: AgentDoor, role: 'writer' | 'viewer'): Promise<AgentClient> {
    const socket = connect(endpoint)
    await once(socket, 'connect')
    // The agent may go while its client is there.
    socket.on('error', () => {})
    const client = new AgentClient(socket.setEncoding('utf8'))
    client.say({ type: 'hello', protocol, token, role, actor: 'bench' })
    return client
  }

  say(frame: object): void {
    this.#socket.write(`${JSON.stringify(frame)}\n`)
  }

  send(text: string): void {
    this.say({ type: 'user_message', input_id: crypto.randomUUID(), text })
  }

  /** The next one that fits; those before it are passed over. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    this.read()
    for (;;) {
      for (let frame = this.#frames.shift(); frame; frame = this.#frames.shift()) if (fits(frame)) return frame
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  frame(type: string): Promise<Frame> {
    return this.until(frame => frame.type === type)
  }

  event(kind: string): Promise<Frame> {
    return this.until(({ event }) => event?.kind === kind)
  }

  read(): void {
    if (this.#socket.listenerCount('data') > 0) return
    this.#socket.on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#frames.push(JSON.parse(line) as Frame)
      this.#wake?.()
    })
  }

  /** Takes what comes, and looks at none of it. */
  drain(): void {
    this.#socket.removeAllListeners('data').resume()
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}
