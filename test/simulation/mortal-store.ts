import type { Growth, Store } from '../../src/ports/store.ts'
import type { Life, Scheduler } from './scheduler.ts'

export interface Mortality {
  readonly life: Life
  readonly scheduler: Scheduler
  /** How this process hears of changes: at once, at a turn of its own, or only that something changed. */
  readonly hears: 'at_once' | 'later' | 'something'
}

/**
 * The store as one process has it. Each call takes a turn before the transaction and another one before its result is
 * heard: a process may die, stall or lose the store between any two.
 */
export function mortalStore(store: Store, mortality: Mortality): Store {
  const { life, scheduler } = mortality
  const mortal = async <T>(method: string, call: () => Promise<T>): Promise<T> => {
    await scheduler.point(life, `${method}:before`)
    // What it throws is heard at a turn of its own too.
    const [result] = await Promise.allSettled([call()])
    await scheduler.point(life, `${method}:after`)
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  return {
    url: store.url,
    start: start => mortal('start', () => store.start(start)),
    claim: claim => mortal('claim', () => store.claim(claim)),
    renew: (lease, ttlMs) => mortal('renew', () => store.renew(lease, ttlMs)),
    release: lease => mortal('release', () => store.release(lease)),
    request: request => mortal('request', () => store.request(request)),
    append: (lease, after, commit) => mortal('append', () => store.append(lease, after, commit)),
    decide: decisions => mortal('decide', () => store.decide(decisions)),
    amend: amendments => mortal('amend', () => store.amend(amendments)),
    dueHolds: (at, limit) => mortal('dueHolds', () => store.dueHolds(at, limit)),
    nextDue: () => mortal('nextDue', () => store.nextDue()),
    grant: id => mortal('grant', () => store.grant(id)),
    grants: query => mortal('grants', () => store.grants(query)),
    revoke: revocation => mortal('revoke', () => store.revoke(revocation)),
    record: entries => mortal('record', () => store.record(entries)),
    audit: query => mortal('audit', () => store.audit(query)),
    verifyAudit: noted => mortal('verifyAudit', () => store.verifyAudit(noted)),
    journal: (threadId, after, limit) => mortal('journal', () => store.journal(threadId, after, limit)),
    run: id => mortal('run', () => store.run(id)),
    runs: query => mortal('runs', () => store.runs(query)),
    hold: id => mortal('hold', () => store.hold(id)),
    holds: query => mortal('holds', () => store.holds(query)),
    prune: query => mortal('prune', () => store.prune(query)),
    watch: onChange => watch(store, onChange, mortality),
    [Symbol.asyncDispose]: async () => {},
  }
}

function watch(store: Store, onChange: (change: Growth | null) => void, mortality: Mortality): Disposable {
  const { life, scheduler, hears } = mortality
  const over = new AbortController()
  const later = async (change: Growth | null) => {
    await scheduler.point(life, 'watch', over.signal)
    onChange(change)
  }
  const watching = store.watch(change => {
    if (life.state === 'dead') return
    if (hears === 'at_once') onChange(change)
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
