import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Lease } from '../../../ports/store/runs.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { pair } from '../pair.ts'
import { aCancel, aClaim, aDecision, aHold, aRequest, aStart, claimed, END, note } from '../store-samples.ts'
import type { StoreSubject } from '../store-subject.ts'

export function watching({ test, expect, scene }: Kit): void {
  const WRITES: readonly (readonly [what: string, write: (store: Store, lease: Lease) => Promise<unknown>])[] = [
    ['a start', store => store.start(aStart({ run: 'run_2', after: 2 }))],
    ['an append', (store, lease) => store.append(lease, 2, note('more'))],
    ['a rest', (store, lease) => store.append(lease, 2, { events: [], rest: END })],
    ['a decision', store => store.decide([aDecision('hold_1')])],
    ['a request', store => store.request(aCancel())],
    [
      'a claim that decides',
      (store, { owner }) => store.claim(aClaim({ evict: owner, decisions: [aDecision('hold_1')] })),
    ],
  ]

  test.each(WRITES)('P4: %s tells which journal grew, and the journal has it by then', async (_what, write) => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    const read: [threadId: string | null, Promise<readonly JournalEvent[]>][] = []
    using _watch = it.store.watch(change => read.push([change?.thread_id ?? null, it.store.journal('th_1', 2)]))
    await write(it.store, lease)
    // A call without cause may come before it.
    const [threadId, journal] = read.find(([id]) => id !== null) ?? [null, []]
    expect(threadId).toBe('th_1')
    expect(await journal).not.toEqual([])
    expect(await journal).toEqual(await it.store.journal('th_1', 2))
  })

  test('decisions on several threads tell of each', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.start(aStart({ run: 'run_2', thread: 'th_2', opens: [aHold('hold_2', { run_id: 'run_2' })] }))
    const heard = new Set<string | null>()
    using _watch = it.store.watch(change => heard.add(change?.thread_id ?? null))
    await it.store.decide([aDecision('hold_1'), aDecision('hold_2')])
    expect([...heard]).toEqual(expect.arrayContaining(['th_1', 'th_2']))
  })

  test('whoever is called back may write at once', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const written: Promise<unknown>[] = []
    using _watch = it.store.watch(() => {
      if (written.length === 0) written.push(it.store.decide([aDecision('hold_1')]))
    })
    await it.store.request(aRequest())
    await Promise.all(written)
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['message.queued', 'hold.decided'])
  })

  test('whoever was disposed of is not called back, and the others are', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const heard: string[] = []
    const listen = (who: string) => it.store.watch(() => heard.push(who))
    using _first = listen('first')
    const second = listen('second')
    using _third = listen('third')
    second[Symbol.dispose]()
    second[Symbol.dispose]()
    await it.store.request(aRequest())
    expect([...new Set(heard)]).toEqual(['first', 'third'])
  })

  test('a function that watches twice is called back until both are disposed of', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    let calls = 0
    const count = () => {
      calls += 1
    }
    using _one = it.store.watch(count)
    it.store.watch(count)[Symbol.dispose]()
    await it.store.request(aRequest())
    expect(calls).toBeGreaterThan(0)
  })

  test('whoever is called back may stop to watch at once', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    let calls = 0
    const watch = it.store.watch(() => {
      calls += 1
      watch[Symbol.dispose]()
    })
    await it.store.request(aRequest())
    await it.store.request(aRequest())
    expect(calls).toBe(1)
  })

  test('one that throws when called back harms neither the writer nor the others', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const heard: (string | null)[] = []
    using _bad = it.store.watch(() => {
      throw new TypeError('this listener is broken on purpose')
    })
    using _good = it.store.watch(change => heard.push(change?.thread_id ?? null))
    expect(await it.store.request(aRequest())).toMatchObject({ outcome: 'recorded', events: [{ seq: 3 }] })
    expect(heard).toContain('th_1')
    expect(await it.store.journal('th_1', 2)).toHaveLength(1)
  })
}

export function watchedFromElsewhere({ test, expect, scene }: Kit, reopen: NonNullable<StoreSubject['reopen']>): void {
  const both = () => pair(scene, reopen)

  test('P4: what one writes, whoever watches the other hears of, and reads', async () => {
    await using it = await both()
    using heard = listening(it.other)
    await it.store.request(aRequest())
    expect(await heard.next()).toBeNull()
    expect(await it.other.journal('th_1', 2)).toHaveLength(1)
  })

  test('no event is missed, however they come', async () => {
    await using it = await both()
    using heard = listening(it.other)
    const lease = await claimed(it.store)
    const read: number[] = []
    const written = (async () => {
      for (let n = 0; n < 60; n += 1) {
        await it.store.append(lease, n + 2, note(`line ${n}`))
        if (n % 3 === 0) await new Promise(done => setTimeout(done, n % 7))
      }
    })()
    while (read.length < 60) {
      await heard.next()
      read.push(...(await it.other.journal('th_1', 2 + read.length)).map(({ seq }) => seq))
    }
    await written
    expect(read).toEqual(Array.from({ length: 60 }, (_, n) => n + 3))
  })

  test('whoever watches anew, after nobody did, hears of what is written then', async () => {
    await using it = await both()
    {
      using heard = listening(it.other)
      await it.store.request(aRequest())
      await heard.next()
    }
    await it.store.request(aRequest())
    using heard = listening(it.other)
    await it.store.request(aRequest())
    await heard.next()
    expect(await it.other.journal('th_1', 2)).toHaveLength(3)
  })

  test('whoever was disposed of, by itself or with its store, is not called back', async () => {
    await using it = await both()
    const closing = await reopen(it.store, it.clock)
    const calls: string[] = []
    using gone = it.other.watch(() => calls.push('disposed of'))
    closing.watch(() => calls.push('closed'))
    using heard = listening(it.other)
    await it.store.request(aRequest())
    await heard.next()
    gone[Symbol.dispose]()
    await closing[Symbol.asyncDispose]()
    calls.length = 0
    for (let n = 0; n < 5; n += 1) {
      await it.store.request(aRequest())
      await heard.next()
    }
    expect(calls).toEqual([])
  })
}

/** Each `next` waits for one more call back; those that came before it was asked for count too. */
function listening(store: Store): Disposable & { readonly next: () => Promise<string | null> } {
  const calls: (string | null)[] = []
  let called = Promise.withResolvers<void>()
  const watch = store.watch(change => {
    calls.push(change?.thread_id ?? null)
    called.resolve()
  })
  return {
    next: async () => {
      while (calls.length === 0) {
        await called.promise
        called = Promise.withResolvers()
      }
      return calls.shift() ?? null
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  }
}
