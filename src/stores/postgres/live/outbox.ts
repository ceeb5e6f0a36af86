import { monotonicMs } from '../../../async/monotonic.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'

/** From one notice to the next: it takes a lock of the whole database server. */
const REST_MS = 50
/** Characters that wait to be sent; more are lost. */
const MOST_WAITING = 128 * 1024

/** By thread: a JSON array of pieces. */
export type Parcels = ReadonlyMap<string, string>

/** Pieces that go out together, in the order in which they came. */
export class Outbox {
  readonly #send: (parcels: Parcels) => Promise<void>
  #waiting = new Map<string, string[]>()
  #characters = 0
  #timer: NodeJS.Timeout | null = null
  #sentAt = Number.NEGATIVE_INFINITY
  #underway: Promise<void> | null = null
  #isUrgent = false

  constructor(send: (parcels: Parcels) => Promise<void>) {
    this.#send = send
  }

  put(piece: Ephemeral): void {
    const text = JSON.stringify(piece)
    if (this.#characters + text.length > MOST_WAITING) return
    this.#characters += text.length
    const texts = this.#waiting.get(piece.thread_id)
    if (texts) texts.push(text)
    else this.#waiting.set(piece.thread_id, [text])
    this.#flushSoon()
  }

  /** Sends what waits now, or right after what is under way. */
  flush(): void {
    this.#isUrgent = this.#underway !== null
    if (this.#underway || this.#waiting.size === 0) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const parcels = new Map([...this.#waiting].map(([id, texts]) => [id, `[${texts.join(',')}]`]))
    this.#waiting = new Map()
    this.#characters = 0
    this.#sentAt = monotonicMs()
    this.#underway = this.#send(parcels)
      .catch(() => {})
      .finally(() => {
        this.#underway = null
        if (this.#isUrgent) this.flush()
        else if (this.#waiting.size > 0) this.#flushSoon()
      })
  }

  #flushSoon(): void {
    if (this.#underway) return
    this.#timer ??= setTimeout(() => this.flush(), Math.max(this.#sentAt + REST_MS - monotonicMs(), 0)).unref()
  }

  async close(): Promise<void> {
    this.flush()
    while (this.#underway) await this.#underway
  }
}
