import type { Kit, Scene } from '../contract-kit.ts'
import { aHold, anEvent } from '../sample-journal.ts'

export function figuring({ test, expect, scene }: Kit): void {
  test('the figures of an empty store are zero', async () => {
    await using it = await scene()
    expect(await figures(it)).toEqual({
      open_holds: [],
      runs: { running: 0, waiting: 0 },
      leases: { held: 0, expired: 0 },
      newest_record: 0,
      cursors: [],
    })
  })

  test('open holds count by kind, with the one that waits longest', async () => {
    await using it = await scene()
    const oldest_at = new Date(it.clock.now()).toISOString()
    await startRun(it, 1, [aHold({ id: 'hold_1' }), aHold({ id: 'hold_2', call_id: 'call_2' })])
    it.clock.advance(60_000)
    await startRun(it, 2, [aHold({ id: 'hold_3', run_id: 'run_2' })])
    await startRun(it, 3, [aHold({ id: 'hold_4', run_id: 'run_3', kind: 'question' })])
    expect((await figures(it)).open_holds).toEqual([
      { kind: 'approval', count: 3, oldest_at },
      { kind: 'question', count: 1, oldest_at: new Date(it.clock.now()).toISOString() },
    ])
    await claimed(it, 1, { events: [], run: { status: 'done' } }, ['hold_1', 'hold_2'])
    expect((await figures(it)).open_holds[0]).toMatchObject({ kind: 'approval', count: 1 })
  })

  test('runs that are not done count by status, and leases by whether they ran out', async () => {
    await using it = await scene()
    for (const n of [1, 2, 3, 4]) await startRun(it, n, [])
    await claimed(it, 1, { events: [], run: { status: 'waiting' } }, [])
    await claimed(it, 2, { events: [anEvent('run.finished', {}, 'run_2')], run: { status: 'done' } }, [])
    await it.store.claim({ run_id: 'run_3', owner: 'one', ttl_ms: 60_000 })
    expect(await figures(it)).toMatchObject({
      runs: { running: 2, waiting: 1 },
      leases: { held: 1, expired: 0 },
      newest_record: 5,
    })
    it.clock.advance(60_000)
    expect((await figures(it)).leases).toEqual({ held: 0, expired: 1 })
  })

  test('each reader of the feed that keeps its place is named with it', async () => {
    await using it = await scene()
    await startRun(it, 1, [])
    await it.store.cursor('notices').advance(0, 1)
    expect((await figures(it)).cursors).toEqual([{ name: 'notices', seq: 1 }])
  })
}

function figures({ store, clock }: Scene): ReturnType<Scene['store']['figures']> {
  return store.figures(new Date(clock.now()).toISOString())
}

async function startRun({ store }: Scene, n: number, opens: readonly ReturnType<typeof aHold>[]): Promise<void> {
  const run_id = `run_${n}`
  await store.start({
    run: { id: run_id, agent: 'tester', hold_scope: 'batch' },
    thread_id: `th_${n}`,
    after: 0,
    events: [anEvent('run.started', {}, run_id)],
    opens,
    status: 'running',
    checkpoint_id: null,
  })
}

type Commit = Parameters<Scene['store']['append']>[2]

/** Claims a run, writes, and gives the lease back. */
async function claimed({ store }: Scene, n: number, commit: Commit, withdraws: readonly string[]): Promise<void> {
  const claim = await store.claim({ run_id: `run_${n}`, owner: 'one', ttl_ms: 60_000 })
  if (claim?.outcome !== 'claimed') throw new TypeError('the run is busy')
  const { events, run = {} } = commit
  await store.append(claim.lease, 1, { events: [], rest: { events, run, withdraws, release: true } })
}
