import type { Clock } from '../../../ports/clock.ts'
import type { Start } from '../../../ports/store/runs.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { anEvent } from '../sample-journal.ts'

export function feeding({ test, expect, scene }: Kit): void {
  test('P10: the start and the end of a run are on record as of their events', async () => {
    await using it = await scene()
    await it.store.start(aStart(1))
    const claimed = await it.store.claim({ run_id: 'run_1', owner: 'one', ttl_ms: 60_000 })
    if (claimed?.outcome !== 'claimed') throw new TypeError('the run is busy')
    await it.store.append(claimed.lease, 1, { events: [anEvent('run.finished')], run: { status: 'done' } })
    expect(await it.store.feed(0, 10)).toMatchObject([
      { seq: 1, record: { kind: 'run.started', run_id: 'run_1', event_seq: 1, data: { agent: 'tester' } } },
      { seq: 2, record: { kind: 'run.finished', run_id: 'run_1', event_seq: 2, data: { type: 'natural_end' } } },
    ])
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], count: 2 })
  })

  test('P10: a run that begins with a copy of another one is on record as started, the other one is not', async () => {
    await using it = await scene()
    const events = [anEvent('run.started'), anEvent('run.started', {}, 'run_2'), anEvent('run.finished', {}, 'run_2')]
    await it.store.start({ ...aStart(2), events, copied: 3 })
    await it.store.start({ ...aStart(3), events: [anEvent('run.finished', {}, 'run_3')], copied: 1, status: 'done' })
    const feed = await it.store.feed(0, 10)
    expect(feed.map(({ record }) => [record?.kind, record?.run_id])).toEqual([['run.started', 'run_2']])
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [] })
  })

  test('P10: the end of a task is on record with how it ended', async () => {
    await using it = await scene()
    await it.store.tasks.create({
      ...{ id: 'task_1', kind: 'command', title: 'Say hello', subject: null, details: {}, workdir: '/' },
      ...{ argv: ['true'], timeout_ms: null, by: 'ana', surface: 'cli' },
    })
    const move = { task_id: 'task_1', invocation: 1 }
    await it.store.tasks.move({ ...move, from: ['pending'], to: 'running' })
    await it.store.tasks.move({ ...move, from: ['running'], to: 'completed', change: { exit_code: 0 } })
    const [, ended] = await it.store.feed(0, 10)
    expect(ended?.record).toMatchObject({ kind: 'task.ended', data: { status: 'completed', exit_code: 0 } })
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [] })
  })

  test('the feed is read from any place on, no more than asked for, with nothing left out', async () => {
    await using it = await scene()
    for (let n = 1; n <= 5; n += 1) await it.store.start(aStart(n))
    const seqs = async (after: number, limit: number) => (await it.store.feed(after, limit)).map(({ seq }) => seq)
    expect(await seqs(0, 100)).toEqual([1, 2, 3, 4, 5])
    expect(await seqs(2, 2)).toEqual([3, 4])
    expect(await seqs(5, 100)).toEqual([])
  })

  test('a cursor begins at 0, and is where it was advanced to', async () => {
    await using it = await scene()
    for (let n = 1; n <= 3; n += 1) await it.store.start(aStart(n))
    const cursor = it.store.cursor('notices')
    expect(await cursor.read()).toBe(0)
    expect(await cursor.advance(0, 2)).toBe(true)
    expect(await cursor.read()).toBe(2)
    expect(await cursor.advance(2, 3)).toBe(true)
    expect(await it.store.cursor('notices').read()).toBe(3)
    expect(await it.store.cursor('metrics').read()).toBe(0)
  })

  test('P2: of many who advance a cursor from the same place, one does', async () => {
    await using it = await scene()
    await it.store.start(aStart(1))
    const advanced = await Promise.all(Array.from({ length: 20 }, () => it.store.cursor('notices').advance(0, 1)))
    expect(advanced.filter(isFirst => isFirst)).toHaveLength(1)
  })

  test('a cursor neither goes back nor beyond the newest record', async () => {
    await using it = await scene()
    for (let n = 1; n <= 2; n += 1) await it.store.start(aStart(n))
    const cursor = it.store.cursor('notices')
    expect(await cursor.advance(0, 3)).toBe(false)
    expect(await cursor.advance(0, 2)).toBe(true)
    expect(await cursor.advance(2, 1)).toBe(false)
    expect(await cursor.read()).toBe(2)
  })

  test('a watcher of the feed hears of runs, tasks and what follows from no event, until it is disposed of', async () => {
    await using it = await scene()
    let heard = 0
    const watching = it.store.watchFeed(() => {
      heard += 1
    })
    await it.store.start(aStart(1))
    // A call without cause may come too.
    expect(heard).toBeGreaterThan(0)
    const before = heard
    await it.store.record([{ kind: 'hold.shown', data: {} }])
    expect(heard).toBeGreaterThan(before)
    watching[Symbol.dispose]()
    const last = heard
    await it.store.start(aStart(2))
    expect(heard).toBe(last)
  })
}

export function feedingOpenedTwice(
  { test, expect, scene }: Kit,
  reopen: (store: Store, clock: Clock) => Promise<Store>,
): void {
  test('a reader beside many writers sees each record once, in order', async () => {
    await using here = await scene()
    await using there = await reopen(here.store, here.clock)
    const seen: (string | null | undefined)[] = []
    const cursor = there.cursor('reader')
    const read = async () => {
      const from = await cursor.read()
      const page = await there.feed(from, 3)
      if (page.length === 0) return
      seen.push(...page.map(({ record }) => record?.run_id))
      expect(await cursor.advance(from, page.at(-1)?.seq ?? from)).toBe(true)
    }
    for (let n = 1; n <= 20; n += 1) {
      await (n % 2 === 0 ? here.store : there).start(aStart(n))
      if (n % 3 === 0) await read()
    }
    while ((await cursor.read()) < 20) await read()
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => `run_${index + 1}`))
  })

  test('P2: a cursor that was advanced here is not advanced there from where it was', async () => {
    await using here = await scene()
    await using there = await reopen(here.store, here.clock)
    await here.store.start(aStart(1))
    expect(await here.store.cursor('notices').advance(0, 1)).toBe(true)
    expect(await there.cursor('notices').advance(0, 1)).toBe(false)
    expect(await there.cursor('notices').read()).toBe(1)
  })
}

function aStart(n: number): Start {
  const id = `run_${n}`
  return {
    run: { id, agent: 'tester', hold_scope: 'batch' },
    thread_id: `th_${n}`,
    after: 0,
    events: [anEvent('run.started', {}, id)],
    status: 'running',
    checkpoint_id: null,
  }
}
