import type { Session } from '../database/session.ts'

type Hear = (payload: string) => void

/** Further channels of the one connection that listens for changes. While there is none, nothing is heard on them. */
export class SideChannels {
  readonly #listeners = new Map<string, Set<Hear>>()
  readonly #readers = new Set<() => void>()
  #session: Session | null = null

  get isHeard(): boolean {
    return this.#session !== null
  }

  /** Called whenever all channels are listened to: with a new connection, and after another channel. */
  onHeard(listener: () => void): Disposable {
    this.#readers.add(listener)
    return { [Symbol.dispose]: () => void this.#readers.delete(listener) }
  }

  /** Calls back with each notice on `channel`, until it is disposed of. */
  listen(channel: string, hear: Hear): Disposable {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(hear))
    const session = this.#session
    if (listeners.size === 1) this.#send(`LISTEN "${channel}"`, () => session && this.#told(session))
    return {
      [Symbol.dispose]: () => {
        if (!listeners.delete(hear) || listeners.size > 0) return
        this.#listeners.delete(channel)
        this.#send(`UNLISTEN "${channel}"`, () => {})
      },
    }
  }

  /** `session` hears notices now. */
  async begin(session: Session): Promise<void> {
    this.#session = session
    await Promise.all([...this.#listeners.keys()].map(channel => session.query(`LISTEN "${channel}"`)))
    this.#told(session)
  }

  /** Another session may have begun meanwhile: it is heard on. */
  end(session: Session): void {
    if (this.#session === session) this.#session = null
  }

  hear(channel: string, payload: string): void {
    for (const hear of this.#listeners.get(channel) ?? []) hear(payload)
  }

  #send(statement: string, onDone: () => void): void {
    // A connection on which it fails is lost, and the next one begins anew.
    this.#session?.query(statement).then(onDone, () => {})
  }

  #told(session: Session): void {
    if (this.#session === session) for (const listener of this.#readers) listener()
  }
}
