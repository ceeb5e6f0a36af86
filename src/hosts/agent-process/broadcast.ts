/**
 * The session of an agent for all who are attached: it is followed once, and each line is made once. Pieces of text that
 * come close together go out together.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { messageOf } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { eventLine, lineOf } from './client-output.ts'

/** Pieces wait so long for the next ones, in milliseconds: a screen shows no more than that. */
const TOGETHER_MS = 15

export interface BroadcastDeps {
  readonly holdpoint: Pick<Holdpoint, 'follow'>
  readonly thread_id: string
  /** The newest `seq` when it begins. */
  readonly since: number
  /** Sends one line or several; `seq` is that of an event, and `null` for pieces of text. */
  tell(lines: Buffer, seq: number | null): void
  /** Nothing more is sent. */
  failed(because: string): void
}

export class Broadcast {
  readonly #deps: BroadcastDeps
  readonly #over = new AbortController()
  readonly #ended: Promise<void>
  #pieces: Buffer[] = []
  #sending: Promise<void> | null = null
  /** The newest `seq` that was sent. */
  seq: number

  constructor(deps: BroadcastDeps) {
    this.#deps = deps
    this.seq = deps.since
    this.#ended = this.#run().catch(thrown => deps.failed(messageOf(thrown)))
  }

  async close(): Promise<void> {
    this.#over.abort()
    await this.#ended
  }

  async #run(): Promise<void> {
    const { holdpoint, thread_id, since } = this.#deps
    for await (const event of holdpoint.follow(thread_id, { since, signal: this.#over.signal })) {
      if ('ephemeral' in event) this.#gather(event)
      else this.#tell(event)
    }
  }

  #tell(event: JournalEvent): void {
    this.#flush()
    this.seq = event.seq
    this.#deps.tell(eventLine(event), event.seq)
  }

  #gather({ data, ...event }: Ephemeral): void {
    this.#pieces.push(lineOf({ type: 'delta', event: { ...event, data: data as unknown as JsonObject } }))
    this.#sending ??= pause(TOGETHER_MS).then(() => {
      this.#sending = null
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#pieces.length === 0) return
    const lines = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces)
    this.#pieces = []
    if (lines) this.#deps.tell(lines, null)
  }
}
