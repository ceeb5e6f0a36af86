import type { Kit } from '../contract-kit.ts'
import { aFinishedThread, aPrune, aScopedGrant, aStart, everything } from '../store-samples.ts'

export function pruning({ test, expect, scene }: Kit): void {
  test('a finished thread goes whole, with its journal, its runs, its holds and the grants that end with it', async () => {
    await using it = await scene()
    await it.store.start(aStart({ thread: 'th_2', run: 'run_2' }))
    await aFinishedThread(it.store, [
      aScopedGrant('grant_1', 'run'),
      aScopedGrant('grant_2', 'thread'),
      aScopedGrant('grant_3', 'project'),
    ])
    await it.clock.advance(1000)
    const page = await it.store.prune(aPrune())
    expect(page).toMatchObject({ next: null, threads: [{ thread_id: 'th_1', runs: 1, holds: 3, grants: 2 }] })
    expect(page.threads[0]?.bytes).toBeGreaterThan(0)
    expect(await it.store.journal('th_1')).toEqual([])
    expect([await it.store.run('run_1'), await it.store.hold('hold_1')]).toEqual([null, null])
    expect((await it.store.grants({})).map(({ id }) => id)).toEqual(['grant_3'])
    expect((await it.store.runs({})).map(({ id }) => id)).toEqual(['run_2'])
    expect(await it.store.journal('th_2')).toHaveLength(2)
  })

  test('what is only counted stays', async () => {
    await using it = await scene()
    await aFinishedThread(it.store)
    await it.clock.advance(1000)
    const before = await everything(it.store)
    const counted = await it.store.prune(aPrune({ dry_run: true }))
    expect(await everything(it.store)).toEqual(before)
    expect(await it.store.prune(aPrune())).toEqual(counted)
  })

  test.each(['running', 'waiting'] as const)(
    'a thread with a run that is %s stays, however old it is',
    async status => {
      await using it = await scene()
      await it.store.start(aStart({ status: 'done' }))
      await it.store.start(aStart({ run: 'run_2', after: 2, status }))
      await it.clock.advance(1000)
      const before = await everything(it.store)
      expect(await it.store.prune(aPrune())).toEqual({ threads: [], tasks: [], next: null })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('a thread in which something happened since stays', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'done' }))
    await it.clock.advance(1000)
    await it.store.start(aStart({ run: 'run_2', after: 2, status: 'done' }))
    await it.clock.advance(1000)
    expect(await it.store.prune(aPrune({ before: '2030-01-01T00:00:01.000Z' }))).toMatchObject({ threads: [] })
    expect(await it.store.prune(aPrune({ before: '2030-01-01T00:00:01.001Z' }))).toMatchObject({
      threads: [{ runs: 2 }],
    })
  })

  test.each([true, false])('page by page each thread comes once (dry run: %s)', async dry_run => {
    await using it = await scene()
    const names = Array.from({ length: 250 }, (_, n) => `th_${n}`)
    for (const thread of names) await it.store.start(aStart({ thread, run: `run_of_${thread}`, status: 'done' }))
    await it.clock.advance(1000)
    const pruned: string[] = []
    for (let after: string | null = '0'; after !== null; ) {
      const page = await it.store.prune(aPrune({ dry_run, after }))
      pruned.push(...page.threads.map(({ thread_id }) => thread_id))
      after = page.next
    }
    expect(pruned).toEqual(names)
    expect(await it.store.runs({})).toHaveLength(dry_run ? 250 : 0)
  })

  test('a thread that was pruned is unknown, so nothing goes on from what it was', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'done' }))
    await it.clock.advance(1000)
    await it.store.prune(aPrune())
    const late = it.store.start(aStart({ run: 'run_2', after: 2 }))
    await expect(late).rejects.toMatchObject({ code: 'superseded' })
    expect(await everything(it.store)).toMatchObject({ runs: [], holds: [], journals: [] })
    expect(await it.store.start(aStart({ run: 'run_3' }))).toMatchObject([{ seq: 1 }, { seq: 2 }])
  })
}
