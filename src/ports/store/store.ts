import type { HoldpointError } from '../../core/errors.ts'
import type { AccessStore } from './access.ts'
import type { AuditStore } from './audit.ts'
import type { Feed } from './feed.ts'
import type { Figures } from './figures.ts'
import type { DaemonStore } from './fleet/daemons.ts'
import type { HostStore } from './fleet/hosts.ts'
import type { PresenceStore } from './fleet/presences.ts'
import type { TaskRegistry } from './fleet/task-registry.ts'
import type { WorkerStore } from './fleet/workers.ts'
import type { GrantStore } from './grants.ts'
import type { GraphStore } from './graphs.ts'
import type { HoldStore } from './holds.ts'
import type { JournalStore } from './journal.ts'
import type { LinkStore } from './people/links.ts'
import type { NoticeStore } from './people/notices.ts'
import type { SessionStore } from './people/sessions.ts'
import type { SubscriptionStore } from './people/subscriptions.ts'
import type { Retention } from './retention.ts'
import type { RunQueue } from './run-queue.ts'
import type { RunStore } from './runs.ts'
import type { SearchStore } from './search.ts'
import type { StoreLocation } from './store-location.ts'
import type { ThreadBundles } from './thread-bundles.ts'

/** The differences between stores. */
export interface StoreCapabilities {
  /** False if the store ends with its process: no other process can decide or go on with what it holds. */
  readonly isShared: boolean
}

/**
 * Durable memory of runs, journals and holds, put together from its roles. Each method is one transaction: what it returned
 * is on disk (P4), and what it refused left no trace. The audit record of an event (P10, core/audit/audit.ts) is written with
 * the event, all or none. A store reads rows, asks the rules in `core/`, and writes rows; `storeContract` of
 * `holdpoint/testing` checks it.
 */
export interface Store
  extends RunStore,
    JournalStore,
    HoldStore,
    RunQueue,
    GrantStore,
    AuditStore,
    Feed,
    Figures,
    Retention,
    SearchStore,
    AsyncDisposable {
  /** The location of the store, and how another process opens it. */
  readonly location: StoreLocation
  readonly capabilities: StoreCapabilities
  readonly tasks: TaskRegistry
  readonly bundles: ThreadBundles
  readonly access: AccessStore
  readonly notices: NoticeStore
  readonly links: LinkStore
  readonly sessions: SessionStore
  readonly subscriptions: SubscriptionStore
  readonly presences: PresenceStore
  readonly daemons: DaemonStore
  readonly hosts: HostStore
  readonly workers: WorkerStore
  readonly graphs: GraphStore
  /** A random text of this store: processes prove by it to one another that they can read the store. It never leaves. */
  secret(): Promise<string>
  /** The error that refuses each write to a store that moved to another one; `null` if it takes writes. */
  moved(): Promise<HoldpointError | null>
}
