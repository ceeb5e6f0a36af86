/**
 * The runs that verbs of this process made ready, for those who continue them here. Keeps: a verb resolves after the
 * subscribers are done, because its process may exit then, and a waiting task must be awake by that time.
 */
import type { DueEvent } from '../core/deadlines/next-due.ts'
import type { Receipt } from '../core/deciding/receipt.ts'
import { messageOf } from '../core/errors.ts'
import type { Decision } from '../core/hold/decision.ts'
import type { Requester } from '../core/task/task-move.ts'
import type { OnReadyRun } from '../ports/ready-runs.ts'
import type { RunStore } from '../ports/store/runs.ts'
import type { MessageInput, Sent } from './threads/send-message.ts'

export class MadeReady {
  readonly #store: Pick<RunStore, 'run'>
  readonly #subscribers = new Set<OnReadyRun>()

  constructor(store: Pick<RunStore, 'run'>) {
    this.#store = store
  }

  subscribe(onReady: OnReadyRun): Disposable {
    this.#subscribers.add(onReady)
    return { [Symbol.dispose]: () => this.#subscribers.delete(onReady) }
  }

  /** Each run once, in the name of the last decider. */
  byDecisions(receipts: readonly Receipt[]): Promise<void> {
    return this.#tell(
      receipts.flatMap(receipt => {
        const decision = decisionOf(receipt)
        return receipt.hold && decision ? [[receipt.hold.run_id, requesterOf(decision)] as const] : []
      }),
    )
  }

  byDeadlines(events: readonly DueEvent[]): Promise<void> {
    return this.#tell(
      events.flatMap(event =>
        event.kind === 'hold.expired' ? [[event.run_id, requesterOf(event.data.decision)] as const] : [],
      ),
    )
  }

  byMessage({ outcome, run_id }: Sent, { author, surface }: MessageInput): Promise<void> {
    // A queued one wakes a run that waited for its model.
    const woke = outcome === 'answered' || outcome === 'superseded' || outcome === 'queued'
    return this.#tell(woke ? [[run_id, { by: author ?? 'user', surface: surface ?? 'code' }]] : [])
  }

  async #tell(requesters: readonly (readonly [runId: string, requester: Requester])[]): Promise<void> {
    if (this.#subscribers.size === 0) return
    for (const [runId, requester] of new Map(requesters))
      if (await this.#isReady(runId)) for (const onReady of this.#subscribers) await onReady(runId, requester)
  }

  /** The verb succeeded, so no later failure is its own: a worker continues the run then. */
  async #isReady(runId: string): Promise<boolean> {
    try {
      const row = await this.#store.run(runId)
      return row?.status === 'running' && row.lease === null
    } catch (thrown) {
      process.emitWarning(`It is unknown whether the run ${runId} is ready: ${messageOf(thrown)}`)
      return false
    }
  }
}

/** If a decision came too late, the verb may have fired the deadline itself. */
function decisionOf(receipt: Receipt): Decision | null {
  if (receipt.outcome === 'recorded') return receipt.decision
  return receipt.hold?.status === 'expired' ? receipt.hold.decision : null
}

function requesterOf({ decided_by: by, surface }: Decision): Requester {
  return { by, surface }
}
