import type { ApprovalBar } from '../bar/approval-bar.ts'
import type { Conversation } from '../conversation/conversation.ts'

/** P10: puts on record that a hold was drawn, and once more when its end was in view. */
export class ShownHolds {
  readonly #recorded = new Set<string>()

  /** After a frame. If the store fails here, the person's next act meets that too. */
  drawn({ drawn, isSeen }: Pick<ApprovalBar, 'drawn' | 'isSeen'>, conversation: Conversation | null): void {
    if (drawn === null || conversation === null) return
    const key = `${drawn.id} ${drawn.digest} ${drawn.level} ${isSeen}`
    if (this.#recorded.has(key)) return
    this.#recorded.add(key)
    conversation.shown([drawn.id], isSeen).catch(() => {})
  }
}
