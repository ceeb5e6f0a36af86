import type { PresenceChange } from '../../core/fleet/presence.ts'
import type { PresenceOwner } from '../../ports/store/fleet/presences.ts'
import type { Store } from '../../ports/store/store.ts'

/** The row of this process. Changes that come while one is written are written together. */
export class PresenceRow {
  readonly #store: Pick<Store, 'presences'>
  readonly #owner: PresenceOwner
  #next: PresenceChange | null = null
  #writing: Promise<void> | null = null

  constructor(store: Pick<Store, 'presences'>, owner: PresenceOwner) {
    this.#store = store
    this.#owner = owner
  }

  note(change: PresenceChange): void {
    this.#next = { ...this.#next, ...change }
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
  }

  /** Everything that was noted is written, and the row is gone. */
  async leave(): Promise<void> {
    await this.#writing
    await this.#store.presences.leave(this.#owner)
  }

  /** Others read less of a process whose row cannot be written; the process itself needs it for nothing. */
  async #writeAll(): Promise<void> {
    while (this.#next) {
      const change = this.#next
      this.#next = null
      await this.#store.presences.change(this.#owner, change).catch(() => {})
    }
  }
}
