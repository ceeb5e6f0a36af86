import type { AgentSource } from '../ports/agent-source.ts'
import type { Clock } from '../ports/clock.ts'
import type { Dispatcher } from '../ports/dispatcher.ts'
import type { EventSink } from '../ports/event-sink.ts'
import type { Ids } from '../ports/ids.ts'
import type { Liveness } from '../ports/liveness.ts'
import type { CheckSchema } from '../ports/schema.ts'
import type { Store } from '../ports/store.ts'

/** What the loop needs of the outside, put together by a host. */
export interface Runtime {
  readonly store: Store
  readonly agents: AgentSource
  readonly clock: Clock
  readonly ids: Ids
  readonly liveness: Liveness
  readonly tell: EventSink
  readonly checkSchema: CheckSchema
  /** Left out where nobody needs to be woken. Never throws. */
  readonly dispatch?: Dispatcher
  /** Removes what is kept elsewhere of tasks that are in the store no more. Left out where there is nothing. */
  readonly sweepTasks?: () => Promise<void>
}
