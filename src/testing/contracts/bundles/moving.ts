import { plainEvent } from '../../../core/journal/event.ts'
import type { Lease } from '../../../ports/store/runs.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'

import {
  aClaim,
  aHold,
  anExport,
  approval,
  arrived,
  aStart,
  type Content,
  contentOf,
  DUE,
  expiry,
  kinds,
  moved,
  said,
  told,
  waiting,
} from './sample-bundle.ts'

export function movingBetweenStores({ test, expect, scene }: Kit): void {
  test('an export gives all of a thread, with what is open in it', async () => {
    await using it = await scene()
    const journal = await waiting(it.store)
    const { thread, exported } = await moved(it.store)
    expect(thread.events).toEqual(journal)
    expect(thread.runs).toMatchObject([{ id: 'run_1', agent: 'tester', checkpoint_id: 'cp_1', hold_scope: 'batch' }])
    expect(thread.holds).toMatchObject([{ id: 'hold_1', status: 'open', arguments: { to: 'production' } }])
    expect(exported).toMatchObject({ bundle_id: 'bundle_1', checkpoint_id: 'cp_1', exported_by: 'ana' })
    expect(await it.store.bundles.exported('th_1')).toEqual(exported)
  })

  test('an export and an import tell how far they are, up to all events', async () => {
    await using it = await scene()
    await using other = await scene()
    await waiting(it.store)
    const told: [verb: string, events: number, of: number][] = []
    const { thread } = await moved(it.store, { onProgress: (events, of) => told.push(['export', events, of]) })
    await arrived(other.store, { thread }, { onProgress: (events, of) => told.push(['import', events, of]) })
    const all = thread.events.length
    for (const verb of ['export', 'import']) expect(told.findLast(([name]) => name === verb)).toEqual([verb, all, all])
  })

  test('the same checkpoint again gives the same bundle again, whoever asks', async () => {
    await using it = await scene()
    await waiting(it.store)
    const first = await moved(it.store)
    it.clock.advance(5_000)
    expect(await moved(it.store, { bundle_id: 'bundle_2', by: 'ben' })).toEqual(first)
  })

  test('a draft gives what would leave, and nothing moves; the export that names its time gives just that', async () => {
    await using it = await scene()
    await waiting(it.store)
    const before = await told(it.store)
    const draft = await moved(it.store, { isDraft: true })
    expect([await told(it.store), await it.store.bundles.exported('th_1')]).toEqual([before, null])
    it.clock.advance(5_000)
    expect(await moved(it.store, { exported_at: draft.exported.exported_at })).toEqual(draft)
  })

  test('P2: of a thread that moved away nothing is decided, said or started, and the refusal tells where it is', async () => {
    await using it = await scene()
    await waiting(it.store)
    await moved(it.store)
    const before = await told(it.store)
    const gone = { code: 'exported', details: { bundle_id: 'bundle_1', checkpoint_id: 'cp_1', exported_by: 'ana' } }
    const [receipt] = await it.store.decide([approval()])
    expect(receipt).toMatchObject({ outcome: 'refused', error: gone })
    await expect(it.store.claim(aClaim())).rejects.toMatchObject(gone)
    await expect(it.store.claim({ ...aClaim(), decisions: [approval()] })).rejects.toMatchObject(gone)
    await expect(
      it.store.start({ ...aStart(), run: { ...aStart().run, id: 'run_2' }, after: 3 }),
    ).rejects.toMatchObject(gone)
    const cancel = { kind: 'cancel.requested', run_id: 'run_1', data: { by: 'ben', reason: null } } as const
    const request = { run_id: 'run_1', event: cancel, withdraw: true, unlessWaiting: false }
    await expect(it.store.request(request)).rejects.toMatchObject(gone)
    expect(await it.store.amend([{ hold_id: 'hold_1', event: expiry, seen: null }])).toEqual([null])
    expect(await told(it.store)).toEqual(before)
  })

  test('a thread that moved away waits for nobody here: its holds are not open, and time does nothing to them', async () => {
    await using it = await scene()
    await waiting(it.store)
    await moved(it.store)
    expect(await it.store.holds({ status: 'open' })).toEqual([])
    expect(await it.store.holds({ status: 'exported' })).toMatchObject([{ id: 'hold_1' }])
    expect([await it.store.nextDue(), await it.store.dueHolds('2031-01-01T00:00:00.000Z', 10)]).toEqual([null, []])
    expect(await it.store.runs({ status: 'running' })).toEqual([])
    expect(await it.store.run('run_1')).toMatchObject({ exported: { bundle_id: 'bundle_1' }, lease: null })
  })

  test('P7: a run whose lease somebody holds stays, whatever the time; once that is reclaimed it moves, and its old owner writes nothing', async () => {
    await using it = await scene()
    await waiting(it.store, { status: 'running' })
    const claimed = await it.store.claim(aClaim())
    const { lease } = claimed as { lease: Lease }
    expect(await it.store.bundles.export(anExport())).toMatchObject({ outcome: 'busy', owner: 'one' })
    expect(await it.store.bundles.exported('th_1')).toBeNull()
    expect(await it.store.bundles.export(anExport({ evict: 'two' }))).toMatchObject({ outcome: 'busy' })
    it.clock.advance(60_000)
    expect(await it.store.bundles.export(anExport())).toMatchObject({ outcome: 'busy', owner: 'one' })
    await it.store.reclaim(lease)
    await moved(it.store)
    await expect(it.store.append(lease, 3, { events: [said('late')] })).rejects.toMatchObject({ code: 'lease_lost' })
  })

  test('a run whose owner is known to be gone moves at once', async () => {
    await using it = await scene()
    await waiting(it.store, { status: 'running' })
    await it.store.claim(aClaim())
    expect(await it.store.bundles.export(anExport({ evict: 'one' }))).toMatchObject({ outcome: 'exported' })
  })

  test('an export from an older state, or of another checkpoint of what has moved, is refused and changes nothing', async () => {
    await using it = await scene()
    await waiting(it.store)
    await expect(it.store.bundles.export(anExport({ after: 2 }))).rejects.toMatchObject({ code: 'superseded' })
    expect(await it.store.bundles.exported('th_1')).toBeNull()
    await moved(it.store)
    await expect(it.store.bundles.export(anExport({ checkpoint_id: 'cp_0' }))).rejects.toMatchObject({
      code: 'exported',
    })
  })

  test('an import gives the thread its ids and times, and what is open can be decided there', async () => {
    await using here = await scene()
    await using there = await scene()
    const journal = await waiting(here.store)
    const open = await here.store.hold('hold_1')
    there.clock.advance(60_000)
    await arrived(there.store, await moved(here.store))
    expect(await there.store.journal('th_1')).toEqual(journal)
    expect(await there.store.hold('hold_1')).toEqual(open)
    expect(await there.store.run('run_1')).toMatchObject({
      status: 'waiting',
      checkpoint_id: 'cp_1',
      created_at: '2030-01-01T00:00:00.000Z',
      exported: null,
    })
    expect(await there.store.nextDue()).toBe(DUE)
    const [receipt] = await there.store.decide([approval()])
    expect(receipt).toMatchObject({ outcome: 'recorded', hold: { status: 'decided' } })
  })

  test('what happens with an import stands behind the journal, in the same transaction', async () => {
    await using here = await scene()
    await using there = await scene()
    await waiting(here.store)
    there.clock.advance(60_000)
    const configured = { kind: 'run.configured', run_id: 'run_1', data: { changes: { workdir: '/there' } } } as const
    await arrived(there.store, await moved(here.store), { behind: [plainEvent(configured)] })
    expect((await there.store.journal('th_1')).at(-1)).toMatchObject({
      seq: 4,
      at: '2030-01-01T00:01:00.000Z',
      ...configured,
    })
    expect(await there.store.bundles.imports('th_1')).toMatchObject([{ bundle_id: 'bundle_1', after: 0, seq: 3 }])
  })

  test('P2: of many imports of one bundle, one is written, and all others are told where its run is', async () => {
    await using here = await scene()
    await using there = await scene()
    await waiting(here.store)
    const bundle = await moved(here.store)
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => arrived(there.store, bundle)))
    const refused = settled.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused).toHaveLength(4)
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'already_imported', details: { checkpoint_id: 'cp_1' } })
    expect(await there.store.journal('th_1')).toHaveLength(3)
  })

  test('a thread that comes home brings what happened meanwhile, and goes on there', async () => {
    await using home = await scene()
    await using away = await scene()
    await waiting(home.store)
    await arrived(away.store, await moved(home.store))
    await away.store.decide([approval()])
    const back = await moved(away.store, { bundle_id: 'bundle_2', after: 4 })
    await arrived(home.store, back, { bundle_id: 'bundle_2' })
    expect(await home.store.journal('th_1')).toEqual(await away.store.journal('th_1'))
    expect(await home.store.hold('hold_1')).toMatchObject({ status: 'decided', decision: { verdict: 'approve' } })
    expect(await home.store.bundles.exported('th_1')).toBeNull()
    expect(await home.store.claim(aClaim())).toMatchObject({ outcome: 'claimed' })
    await expect(away.store.claim(aClaim())).rejects.toMatchObject({ code: 'exported' })
  })

  test('P10: the audit logs of both stores stay whole, and tell who moved what', async () => {
    await using home = await scene()
    await using away = await scene()
    await waiting(home.store)
    await arrived(away.store, await moved(home.store))
    await away.store.decide([approval()])
    await arrived(home.store, await moved(away.store, { bundle_id: 'bundle_2', after: 4 }), { bundle_id: 'bundle_2' })
    await home.store.claim(aClaim())
    for (const { store } of [home, away]) expect(await store.verifyAudit()).toMatchObject({ faults: [] })
    expect(await kinds(home.store)).toEqual([
      ...['run.started', 'hold.opened', 'checkpoint.exported', 'checkpoint.imported'],
    ])
    expect(await kinds(away.store)).toEqual([
      ...['hold.opened', 'checkpoint.imported', 'hold.decided', 'checkpoint.exported'],
    ])
  })

  test.each([
    [
      'that goes on here',
      'not_exported',
      async (store: Store): Promise<Content> => {
        await arrived(store, await moved(store))
        return { thread: await contentOf(store) }
      },
    ],
    [
      'of which more is known here',
      'bundle_outdated',
      async (store: Store): Promise<Content> => {
        const old = await moved(store)
        await arrived(store, old)
        await store.decide([approval()])
        await moved(store, { bundle_id: 'bundle_2', after: 4 })
        return old
      },
    ],
    [
      'that went on differently here',
      'bundle_diverged',
      async (store: Store): Promise<Content> => {
        const { thread } = await moved(store)
        const events = [...thread.events.slice(0, -1), { ...thread.events[2]!, at: '2030-01-01T00:00:01.000Z' }]
        return { thread: { ...thread, events } }
      },
    ],
  ])('a thread %s is not overwritten: %s', async (_, code, prepare) => {
    await using it = await scene()
    await waiting(it.store)
    const bundle = await prepare(it.store)
    const before = await told(it.store)
    await expect(arrived(it.store, bundle, { bundle_id: 'bundle_9' })).rejects.toMatchObject({ code })
    expect(await told(it.store)).toEqual(before)
  })

  test('nothing of another thread is taken over by what a bundle calls its own', async () => {
    await using here = await scene()
    await using there = await scene()
    await waiting(here.store)
    await there.store.start({ ...aStart(), thread_id: 'th_2', run: { ...aStart().run, id: 'run_2' }, opens: [aHold()] })
    const before = await told(there.store)
    const bundle = await moved(here.store)
    await expect(arrived(there.store, bundle)).rejects.toMatchObject({ code: 'bundle_conflicts' })
    expect(await told(there.store)).toEqual(before)
  })
}
