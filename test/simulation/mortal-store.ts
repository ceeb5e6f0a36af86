import { AsyncLocalStorage } from 'node:async_hooks'
import type { TaskRegistry } from '../../src/ports/store/fleet/task-registry.ts'
import type { Growth } from '../../src/ports/store/journal.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import { type KindOfStore, LOOKS_MS } from './kind-of-store.ts'
import { type Ledger, noteOpen, onBehalfOf } from './ledger.ts'
import type { Life, Scheduler } from './scheduler.ts'

export interface Hands {
  /** How far the clock of the store is ahead right now, in milliseconds. */
  skew: number
  /** How far that of a database is, whoever asks. */
  database: number
  /** Until then another program has the store locked: for those who write, or for all. */
  lock: { readonly until: number; readonly readersToo: boolean }
}

export interface Mortality {
  readonly life: Life
  readonly scheduler: Scheduler
  /** How this process hears of changes: at once, at a turn of its own, only that something changed, or by looks alone. */
  readonly hears: 'at_once' | 'later' | 'something' | 'by_looking'
  /** The clock of the store while it works for a process: that of the process, if the store has none of its own. */
  readonly hands: Hands
  readonly kind: KindOfStore
  readonly ledger: Ledger
}

/**
 * The store as one process has it. Each call takes a turn before the transaction and another one before its result is
 * heard: a process may die, stall or lose the store between any two.
 */
export function mortalStore(store: Store, mortality: Mortality): Store {
  const { life, scheduler, ledger } = mortality
  const by = () => onBehalfOf.getStore()?.tale ?? life
  const mortal = async <T>(method: string, call: () => Promise<T>): Promise<T> => {
    await scheduler.point(life, `${method}:before`)
    // What it throws is heard at a turn of its own too.
    const [result] = await Promise.allSettled([whenUnlocked(mortality, method).then(() => inTime(mortality, call))])
    await scheduler.point(life, `${method}:after`)
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  return {
    location: store.location,
    capabilities: store.capabilities,
    tasks: mortalTasks(store.tasks, mortal),
    bundles: store.bundles,
    access: store.access,
    notices: store.notices,
    links: store.links,
    sessions: store.sessions,
    subscriptions: store.subscriptions,
    presences: store.presences,
    daemons: store.daemons,
    hosts: store.hosts,
    workers: store.workers,
    graphs: store.graphs,
    start: start => mortal('start', () => store.start(start)),
    claim: claim => mortal('claim', () => store.claim(claim)),
    renew: (lease, ttlMs) => mortal('renew', () => store.renew(lease, ttlMs)),
    noteFailure: (runId, failure) => mortal('noteFailure', () => store.noteFailure(runId, failure)),
    release: lease => mortal('release', () => store.release(lease)),
    request: request => mortal('request', () => store.request(request)),
    append: (lease, after, commit) => {
      const writer = by()
      return mortal('append', async () => {
        const { events, rested } = await store.append(lease, after, commit)
        const count = commit.events.length + (rested ? (commit.rest?.events.length ?? 0) : 0)
        const { thread_id } = lease
        ledger.see({ is: 'wrote', by: writer, thread_id, events: events.slice(events.length - count) })
        return { events, rested }
      })
    },
    decide: (decisions, options) => mortal('decide', () => store.decide(decisions, options)),
    amend: amendments => mortal('amend', () => store.amend(amendments)),
    dueHolds: (at, limit) => mortal('dueHolds', () => store.dueHolds(at, limit)),
    nextDue: after => mortal('nextDue', () => store.nextDue(after)),
    grant: id => mortal('grant', () => store.grant(id)),
    grantFault: id => mortal('grantFault', () => store.grantFault(id)),
    grants: query => {
      const asking = { by: by(), query, at: scheduler.now + skewOf(mortality) }
      return mortal('grants', async () => {
        const found = await store.grants(query)
        ledger.see({ is: 'grants asked', ...asking, found: found.map(({ id }) => id) })
        return found
      })
    },
    give: grant => mortal('give', () => store.give(grant)),
    revoke: revocation =>
      mortal('revoke', async () => {
        const grant = await store.revoke(revocation)
        ledger.see({ is: 'revoked', grant_id: revocation.grant_id })
        return grant
      }),
    record: entries => mortal('record', () => store.record(entries)),
    audit: query => mortal('audit', () => store.audit(query)),
    feed: (after, limit) => mortal('feed', () => store.feed(after, limit)),
    cursor: name => store.cursor(name),
    watchFeed: onChange => store.watchFeed(onChange),
    figures: at => store.figures(at),
    verifyAudit: noted => mortal('verifyAudit', () => store.verifyAudit(noted)),
    auditHead: () => mortal('auditHead', () => store.auditHead()),
    journal: (threadId, after, limit) => mortal('journal', () => store.journal(threadId, after, limit)),
    // Without turns of their own: an older fold beside the journal is as good as the newest.
    keptFold: threadId => store.keptFold(threadId),
    keepFold: fold => store.keepFold(fold),
    secret: () => mortal('secret', () => store.secret()),
    moved: () => mortal('moved', () => store.moved()),
    newest: threadIds => mortal('newest', () => store.newest(threadIds)),
    findInput: (threadId, inputId) => mortal('findInput', () => store.findInput(threadId, inputId)),
    search: query => mortal('search', () => store.search(query)),
    run: id => mortal('run', () => store.run(id)),
    runs: query => mortal('runs', () => store.runs(query)),
    readyRuns: query => mortal('readyRuns', () => store.readyRuns(query)),
    leasedRuns: query => mortal('leasedRuns', () => store.leasedRuns(query)),
    reclaim: (lease, entry) =>
      mortal('reclaim', async () => {
        const isReclaimed = await store.reclaim(lease, entry)
        if (isReclaimed) ledger.see({ is: 'reclaimed', run_id: lease.run_id })
        return isReclaimed
      }),
    now: () => inTime(mortality, () => store.now()),
    hold: id => mortal('hold', () => store.hold(id)),
    holds: query => mortal('holds', () => store.holds(query)),
    prune: query => mortal('prune', () => store.prune(query)),
    // Whoever is called back acts for itself, and not for the writer that it hears of.
    watch: onChange => noteOpen('a watch of the store', watch(store, AsyncLocalStorage.bind(onChange), mortality)),
    [Symbol.asyncDispose]: async () => {},
  }
}

type Mortal = <T>(method: string, call: () => Promise<T>) => Promise<T>

function mortalTasks(tasks: TaskRegistry, mortal: Mortal): TaskRegistry {
  return {
    create: task => mortal('tasks.create', () => tasks.create(task)),
    task: id => mortal('tasks.task', () => tasks.task(id)),
    tasks: query => mortal('tasks.tasks', () => tasks.tasks(query)),
    invocations: taskId => mortal('tasks.invocations', () => tasks.invocations(taskId)),
    move: move => mortal('tasks.move', () => tasks.move(move)),
    takeNext: turn => mortal('tasks.takeNext', () => tasks.takeNext(turn)),
    remove: (id, removal) => mortal('tasks.remove', () => tasks.remove(id, removal)),
    watch: onChange => tasks.watch(onChange),
  }
}

/** As long as a store waits for a lock of others (`lock-patience.ts`), in milliseconds. */
const PATIENCE_MS = 10_000

async function whenUnlocked({ hands, scheduler, life }: Mortality, method: string): Promise<void> {
  const end = scheduler.now + PATIENCE_MS
  while (isLocked(hands.lock, scheduler.now, method)) {
    if (scheduler.now >= end) throw new StoreError('store_busy', 'The store is locked by another program.')
    await scheduler.sleep(life, Math.min(end, hands.lock.until) - scheduler.now)
  }
}

function isLocked({ until, readersToo }: Hands['lock'], now: number, method: string): boolean {
  return until > now && (readersToo || WRITING.test(method))
}

/** What a lock of writers keeps waiting. */
const WRITING = /^(start|claim|renew|release|request|append|decide|amend|give|revoke|record|reclaim)$/

/** How far the clock of the store is ahead while it works for this process. */
export function skewOf({ hands, life, kind }: Pick<Mortality, 'hands' | 'life' | 'kind'>): number {
  return kind === 'file' ? life.skew : hands.database
}

/** A transaction is over before anybody else has a turn. */
function inTime<T>(mortality: Mortality, call: () => Promise<T>): Promise<T> {
  const { hands } = mortality
  hands.skew = skewOf(mortality)
  try {
    return call()
  } finally {
    hands.skew = 0
  }
}

function watch(store: Store, onChange: (change: Growth | null) => void, mortality: Mortality): Disposable {
  const { life, scheduler, hears } = mortality
  const over = new AbortController()
  const later = async (change: Growth | null) => {
    await scheduler.point(life, 'watch', over.signal)
    onChange(change)
  }
  let isAboutToLook = false
  /** The next look finds all that changed by then. */
  const look = async () => {
    if (isAboutToLook) return
    isAboutToLook = true
    await scheduler.sleep(life, LOOKS_MS, over.signal)
    isAboutToLook = false
    onChange(null)
  }
  const watching = store.watch(change => {
    if (life.state === 'dead') return
    if (hears === 'at_once') onChange(change)
    else if (hears === 'by_looking') look().catch(() => {})
    // Nobody listens any more where it rejects.
    else later(hears === 'something' ? null : change).catch(() => {})
  })
  return {
    [Symbol.dispose]: () => {
      watching[Symbol.dispose]()
      over.abort()
    },
  }
}
