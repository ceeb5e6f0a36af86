/** Each verb of a store once, on `run_2` and its neighbours, so that each of its statements is sent. */
import type { Store } from '../../../src/ports/store/store.ts'
import { aBatch, aNotice, markAll, stale } from '../../../src/testing/contracts/notices/sample-notice.ts'
import {
  aDecision,
  aGrant,
  aHold,
  aPrune,
  aRequest,
  aStart,
  event,
  note,
} from '../../../src/testing/contracts/store-samples.ts'
import { aTask } from '../../../src/testing/contracts/tasks/sample-task.ts'
import { A_GRAPH_WRITE, aGraphCheckpoint } from './million-runs.ts'

const NOW = '2030-01-01T00:00:00.000Z'
const page = { limit: 50 }

/** What pages and workers ask all the time. */
export async function readPages(store: Store): Promise<void> {
  for (const order of ['opened', 'due', 'newest'] as const) {
    await store.holds({ ...page, status: 'open', order })
    await store.holds({ ...page, status: 'open', order, after: 'hold_500000' })
  }
  await store.holds({ ...page, order: 'newest' })
  await store.holds({ ...page, status: 'open', run_id: 'run_2' })
  await store.holds({ ...page, status: 'open', thread_id: 'th_2' })
  await store.runs(page)
  await store.runs({ ...page, after: 'run_500000' })
  await store.runs({ ...page, status: 'waiting' })
  await store.runs({ ...page, status: 'running' })
  await store.runs({ ...page, thread_id: 'th_2' })
  await store.runs({ ...page, parent_run_id: 'run_9' })
  await store.readyRuns({ limit: 50 })
  await store.readyRuns({ limit: 50, tasks: false, after: 'run_500000' })
  await store.leasedRuns({ limit: 50 })
  await store.dueHolds(NOW, 50)
  await store.nextDue()
  await store.journal('th_2', 0, 50)
  await store.newest(['th_2', 'th_3'])
  await store.findInput('th_2', 'input_2')
  await store.run('run_2')
  await store.hold('hold_2')
  await store.grant('grant_2')
  await store.grants({ agent: 'agent_2', tool: 'tool_2', valid_at: NOW })
  await store.feed(500_000, 50)
  await store.audit({ ...page, order: 'newest' })
  await store.auditHead()
  await store.tasks.task('task_2')
  await store.tasks.tasks(page)
  await store.tasks.tasks({ ...page, status: 'running' })
  await store.tasks.tasks({ ...page, ids: ['task_2'], after: 'task_100000' })
  await store.tasks.tasks({ subject: 'run_2' })
  await store.tasks.invocations('task_2')
  await store.notices.notice('notice_2')
  await store.notices.list({ ...page, hold_id: 'hold_2' })
  await store.notices.list({ ...page, status: 'failed' })
  await store.notices.nextDue(['slack', 'mail'])
  await store.notices.newestSent({ hold_id: 'hold_2', channel: 'slack', address: 'U2' })
  await store.notices.isRefused({ channel: 'slack', address: 'U2' }, 'sha256:0')
  await store.notices.figures()
  await store.links.find('sha256:2')
  await store.access.find('sha256:0')
  await store.sessions.find('sha256:0')
  await store.sessions.list()
  await store.presences.find('task_2')
  await store.presences.list()
  await store.presences.door('task_2')
  await store.daemons.find()
  await store.bundles.exported('th_2')
  await store.bundles.imports('th_2')
  await store.notices.place()
  await readGraphs(store)
}

async function readGraphs({ graphs }: Store): Promise<void> {
  const place = { thread_id: 'th_2', namespace: '' }
  await graphs.find({ ...place, checkpoint_id: null })
  await graphs.find({ ...place, checkpoint_id: '1f0' })
  await graphs.heads(page)
  await graphs.heads({ ...page, ...place, before: '1f1' })
  await graphs.heads({ ...page, after: { ...place, thread_id: 'th_1000', checkpoint_id: '1f0' } })
}

/** What people, workers and agents write. */
export async function writeAll(store: Store): Promise<void> {
  await store.start({ ...aStart({ run: 'run_0', thread: 'th_0', opens: [aHold('hold_a', { run_id: 'run_0' })] }) })
  await writeRun(store)
  await appendTogether(store)
  await writeTasks(store)
  await writeNotices(store)
  await writePeople(store)
  await writeGraphs(store)
}

async function writeGraphs({ graphs }: Store): Promise<void> {
  const checkpoint = aGraphCheckpoint(2, '1f2')
  await graphs.put(checkpoint)
  await graphs.putWrites(checkpoint, [A_GRAPH_WRITE])
  await graphs.forget('th_3')
}

async function writeRun(store: Store): Promise<void> {
  await store.request(aRequest({ run_id: 'run_0', event: { ...aRequest().event, run_id: 'run_0' } }))
  const taken = await store.claim({ run_id: 'run_0', owner: 'one', ttl_ms: 60_000 })
  if (taken?.outcome !== 'claimed') throw new TypeError('the run is busy')
  const lease = await store.renew(taken.lease, 60_000)
  await store.append(lease, 3, note('on it', 'run_0'))
  await store.release(lease)
  await store.reclaim(lease)
  const grant = aGrant('grant_a', { hold_id: 'hold_a', scope_id: 'run_0' })
  const because = { kind: 'hold.assigned', run_id: 'run_0' } as const
  const data = { hold_id: 'hold_a', call_id: 'call_a', by: 'ana', surface: 'test', assignee: 'ben', reason: null }
  await store.amend([{ hold_id: 'hold_a', event: { ...because, data }, seen: null }])
  await store.decide([aDecision('hold_a', { grant })])
  await store.grantFault('grant_a')
  await store.revoke({ grant_id: 'grant_a', by: 'ana', surface: 'test' })
  await store.record([{ kind: 'hold.shown', hold_id: 'hold_2', data: {} }])
  await store.cursor('plans').advance(0, 1)
}

/** One goes out alone, and those that come meanwhile in one statement. */
async function appendTogether(store: Store): Promise<void> {
  const names = ['g1', 'g2', 'g3', 'g4']
  const leases = []
  for (const name of names) {
    await store.start(aStart({ run: `run_${name}`, thread: `th_${name}` }))
    const taken = await store.claim({ run_id: `run_${name}`, owner: 'one', ttl_ms: 60_000 })
    if (taken?.outcome !== 'claimed') throw new TypeError('the run is busy')
    leases.push(taken.lease)
  }
  await Promise.all(leases.map(lease => store.append(lease, 2, note('together', lease.run_id))))
}

async function writeTasks(store: Store): Promise<void> {
  const { tasks, presences, daemons } = store
  await tasks.create(aTask({ id: 'task_a', kind: 'agent', waits: true }))
  await tasks.takeNext({ kind: 'agent', most: 1, by: 'here' })
  const presence = { task_id: 'task_a', invocation: 1 }
  await presences.arrive({ ...presence, process: 'p', endpoint: '/s', protocol: 1, token: 't' })
  await presences.change(presence, { clients: 1 })
  await presences.leave(presence)
  await tasks.move({ ...presence, from: ['pending'], to: 'cancelled' })
  await tasks.remove('task_a', { by: 'ana', surface: 'test', invocation: 1 })
  await daemons.take({ process: 'p', endpoint: '/s', version: '1' }, null)
  await daemons.askToStop('p', 'drain')
  await daemons.leave('p')
}

async function writeNotices(store: Store): Promise<void> {
  const { notices } = store
  await notices.enqueue({ ...aBatch([aNotice('notice_a', { hold_id: 'hold_a' })]), from: (await notices.place()) ?? 0 })
  await notices.enqueue({ ...stale('hold_2'), from: 0 })
  const [claimed] = await notices.claim({ channel: 'slack', limit: 10, ttl_ms: 30_000 })
  if (!claimed) throw new TypeError('no notice is due')
  await notices.claimWith(claimed, { limit: 10, ttl_ms: 30_000 })
  await notices.claimWith({ ...claimed, digest: 'notice_a' }, { limit: 10, ttl_ms: 30_000 })
  await markAll(store, [claimed], {})
  await notices.sentSince({ channel: 'slack', address: 'U2' }, NOW)
  await notices.retry('notice_2')
}

async function writePeople(store: Store): Promise<void> {
  const by = { by: 'ana', surface: 'test' }
  await store.access.add({ id: 'token_a', name: 'ci', role: 'decider', expires_at: null, digest: 'sha256:a', ...by })
  await store.access.revoke({ id: 'token_a', ...by })
  await store.links.use('sha256:2')
  const proof = { kind: 'token', digest: 'sha256:a' } as const
  const session = { id: 'session_a', name: 'ana', role: 'decider', groups: [], proof, surface: 'test' } as const
  await store.sessions.add({ ...session, kind: 'link', digest: 'sha256:l', expires_at: '2031-01-01T00:00:00.000Z' })
  const redeemed = { session_digest: 'sha256:s', expires_at: '2031-01-01T00:00:00.000Z', surface: 'test' }
  await store.sessions.redeem({ digest: 'sha256:l', ...redeemed })
  await store.sessions.end({ name: 'ana', ...by })
}

/** What operators do now and then: it reads much, in parts. */
export async function readMuch(store: Store): Promise<void> {
  await store.search({ words: 'not said anywhere' })
  await store.figures(NOW)
  await store.audit({ ...page, actor: 'ana' })
  // After the first page it is known which statements it sends.
  const enough = new TypeError('enough')
  await store
    .verifyAudit([], () => {
      throw enough
    })
    .catch((thrown: unknown) => {
      if (thrown !== enough) throw thrown
    })
  await store.prune(aPrune({ dry_run: true }))
}

/** A thread that moves to another store and back. */
export async function moveThread(store: Store): Promise<void> {
  const place = { thread_id: 'th_2', run_id: 'run_2', checkpoint_id: 'cp_2', by: 'ana', surface: 'test' }
  const exported = await store.bundles.export({ ...place, after: 5, bundle_id: 'bundle_2' })
  if (exported.outcome !== 'exported') throw new TypeError('the thread is busy')
  const { runs, ...thread } = exported.thread
  const standing = runs.map(run => ({ ...run, status: 'waiting' as const, ended: null }))
  const behind = [event('back', 'run_2')]
  await store.bundles.import({ ...place, ...thread, runs: standing, bundle_id: 'bundle_2', behind, data: {} })
}
