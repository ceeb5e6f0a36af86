import type { Kit } from '../contract-kit.ts'
import { aBatch, aNotice, claimed, ids, markAll, NOW, stale } from './sample-notice.ts'

export function noticing({ test, expect, scene }: Kit): void {
  test('notices begin nowhere, and then are where they were moved to', async () => {
    await using it = await scene()
    expect(await it.store.notices.place()).toBeNull()
    expect(await it.store.notices.enqueue(aBatch([aNotice('ntc_1')], { from: 7, to: 7 }))).toBe(true)
    expect(await it.store.notices.place()).toBe(7)
    expect(await it.store.notices.list({})).toMatchObject([
      { id: 'ntc_1', hold_id: 'hold_1', status: 'due', tries: 0, sent: null, person: 'ana', next_at: NOW },
    ])
  })

  test('P2: of two who read the same stretch, one puts its notices in', async () => {
    await using it = await scene()
    const batch = (id: string) => aBatch([aNotice(id)], { from: 0, to: 3 })
    await it.store.notices.enqueue(aBatch([]))
    const [one, two] = await Promise.all([
      it.store.notices.enqueue(batch('ntc_1')),
      it.store.notices.enqueue(batch('ntc_2')),
    ])
    expect([one, two].toSorted()).toEqual([false, true])
    expect(await it.store.notices.list({})).toHaveLength(1)
  })

  test('the same notice to the same address is put in once', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1'), aNotice('ntc_2', { hold_id: 'hold_1' })]))
    await it.store.notices.enqueue(
      aBatch([
        aNotice('ntc_3', { hold_id: 'hold_1', address: 'U2' }),
        aNotice('ntc_4', { hold_id: 'hold_1', about: '1' }),
      ]),
    )
    expect(ids(await it.store.notices.list({ hold_id: 'hold_1' }))).toEqual(['ntc_4', 'ntc_3', 'ntc_1'])
  })

  test('each address gets its notices in order, one at a time', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(
      aBatch([
        aNotice('ntc_1'),
        aNotice('ntc_2'),
        aNotice('ntc_3', { address: 'U2' }),
        aNotice('ntc_4', { channel: 'mail' }),
      ]),
    )
    const first = await claimed(it.store)
    expect(ids(first)).toEqual(['ntc_1', 'ntc_3'])
    expect(await claimed(it.store)).toEqual([])
    await markAll(it.store, first, { sent: { ts: '1' } })
    expect(ids(await claimed(it.store))).toEqual(['ntc_2'])
    expect(await it.store.notices.notice('ntc_1')).toMatchObject({ status: 'sent', sent: { ts: '1' }, sent_at: NOW })
  })

  test('a claim that ran out is taken by another, and its first owner marks nothing', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1')]))
    const first = await claimed(it.store)
    expect(first).toMatchObject([{ tries: 1, is_repeat: false }])
    it.clock.advance(30_000)
    const second = await claimed(it.store)
    expect(second).toMatchObject([{ id: 'ntc_1', tries: 2, is_repeat: true }])
    await markAll(it.store, first, { status: 'failed', error: 'too late' })
    expect(await it.store.notices.notice('ntc_1')).toMatchObject({ status: 'due', error: null })
    await markAll(it.store, second, { sent: {} })
    expect(await it.store.notices.notice('ntc_1')).toMatchObject({ status: 'sent', next_at: null })
  })

  test('a try that failed is due again at its time; it is a repeat only if it may have arrived', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1')]))
    const next_at = new Date(it.clock.now() + 5_000).toISOString()
    await markAll(it.store, await claimed(it.store), { status: 'due', next_at, tries: 1, error: 'down' })
    expect(await claimed(it.store)).toEqual([])
    expect(await it.store.notices.nextDue(['slack'])).toBe(next_at)
    expect(await it.store.notices.nextDue(['mail'])).toBeNull()
    it.clock.advance(5_000)
    const again = await claimed(it.store)
    expect(again).toMatchObject([{ tries: 2, is_repeat: false, error: 'down' }])
    const now = new Date(it.clock.now()).toISOString()
    await markAll(it.store, again, { status: 'due', next_at: now, tries: 2, unsure: true })
    expect(await claimed(it.store)).toMatchObject([{ is_repeat: true }])
  })

  test('what waits for its next try holds up no later notice', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1'), aNotice('ntc_2')]))
    const next_at = new Date(it.clock.now() + 5_000).toISOString()
    await markAll(it.store, await claimed(it.store), { status: 'due', next_at, tries: 1, error: 'down' })
    expect(ids(await claimed(it.store))).toEqual(['ntc_2'])
  })

  test('while a claim runs, the time to look again is its end', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1')]))
    const [claim] = await claimed(it.store)
    expect(await it.store.notices.nextDue(['slack'])).toBe(claim?.until)
  })

  test('a failed notice is shown as failed until it is retried', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1')]))
    expect(await it.store.notices.figures()).toEqual({ due: 1, failed: 0, oldest_due_at: NOW })
    await markAll(it.store, await claimed(it.store), { status: 'failed', tries: 10, error: 'no such channel' })
    expect(await it.store.notices.figures()).toEqual({ due: 0, failed: 1, oldest_due_at: null })
    expect(ids(await it.store.notices.list({ status: 'failed' }))).toEqual(['ntc_1'])
    expect(await it.store.notices.retry('ntc_1')).toMatchObject({ status: 'due', tries: 0, error: null })
    expect(await it.store.notices.retry('ntc_9')).toBeNull()
    expect(ids(await claimed(it.store))).toEqual(['ntc_1'])
  })
}

/** Addresses whose receivers want no more. */
export function refusingReceivers({ test, expect, scene }: Kit): void {
  const to = { channel: 'slack', address: 'U1' } as const

  test('a receiver that wants no more is known by its address, as long as the settings of its channel stay', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1'), aNotice('ntc_2', { address: 'U2' })]))
    const [first, second] = await claimed(it.store)
    await markAll(it.store, first ? [first] : [], { status: 'failed', error: 'gone', refused_with: 'sha256:1' })
    await markAll(it.store, second ? [second] : [], { status: 'failed', error: 'no such user' })
    expect(await it.store.notices.isRefused(to, 'sha256:1')).toBe(true)
    expect(await it.store.notices.isRefused(to, 'sha256:2')).toBe(false)
    expect(await it.store.notices.isRefused({ ...to, address: 'U2' }, 'sha256:1')).toBe(false)
    expect(await it.store.notices.isRefused({ ...to, channel: 'mail' }, 'sha256:1')).toBe(false)
  })

  test('a notice that is retried has its address met again', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1'), aNotice('ntc_2')]))
    for (const _ of ['one', 'two'])
      await markAll(it.store, await claimed(it.store), { status: 'failed', error: 'gone', refused_with: 'sha256:1' })
    await it.store.notices.retry('ntc_2')
    expect(await it.store.notices.isRefused(to, 'sha256:1')).toBe(false)
    expect(await it.store.notices.notice('ntc_1')).toMatchObject({ status: 'failed' })
  })
}

export function changingNotices({ test, expect, scene }: Kit): void {
  test('what was sent about a hold that changed is due to be changed', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1'), aNotice('ntc_2', { address: 'U2' })]))
    await markAll(it.store, await claimed(it.store), { sent: { ts: '1' } })
    await it.store.notices.enqueue(stale('hold_1'))
    const due = await claimed(it.store)
    expect(due).toMatchObject([{ id: 'ntc_1', status: 'sent', sent: { ts: '1' } }])
    await markAll(it.store, due, { status: 'changed' })
    expect(await claimed(it.store)).toEqual([])
    // What a decision led to is known later, and changes the message once more.
    await it.store.notices.enqueue(stale('hold_1'))
    expect(await claimed(it.store)).toMatchObject([{ id: 'ntc_1', status: 'changed' }])
  })

  test('a message that becomes stale while it is sent is changed right after', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1')]))
    const sending = await claimed(it.store)
    await it.store.notices.enqueue(stale('hold_1'))
    await markAll(it.store, sending, { sent: { ts: '1' } })
    expect(await claimed(it.store)).toMatchObject([{ id: 'ntc_1', status: 'sent', is_repeat: false }])
  })

  test('those of other channels, and of other holds, stay as they are', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1')]))
    await markAll(it.store, await claimed(it.store), { sent: {} })
    await it.store.notices.enqueue(stale('hold_2'))
    await it.store.notices.enqueue(aBatch([], { stale: { hold_ids: ['hold_1'], channels: ['mail'] } }))
    expect(await claimed(it.store)).toEqual([])
  })

  test('what is due at one address is claimed together, and is one message then', async () => {
    await using it = await scene()
    await it.store.notices.enqueue(
      aBatch([
        ...[1, 2, 3].map(n => aNotice(`ntc_${n}`)),
        aNotice('ntc_4', { address: 'U2' }),
        aNotice('ntc_5', { event: 'unclear' }),
      ]),
    )
    const [head] = await claimed(it.store, 1)
    if (!head) throw new TypeError('nothing was due')
    const mates = await it.store.notices.claimWith(head, { limit: 10, ttl_ms: 30_000 })
    expect(ids(mates)).toEqual(['ntc_2', 'ntc_3'])
    await markAll(it.store, [head, ...mates], { sent: { ts: '1' }, digest: 'ntc_1' })
    expect(ids(await it.store.notices.list({ digest: 'ntc_1' }))).toEqual(['ntc_3', 'ntc_2', 'ntc_1'])
    const address = { channel: 'slack', address: 'U1' } as const
    expect(await it.store.notices.sentSince(address, new Date(it.clock.now() - 1).toISOString())).toEqual({
      messages: 1,
      digests: 1,
    })
    expect(await it.store.notices.sentSince(address, NOW)).toEqual({ messages: 0, digests: 0 })
    await it.store.notices.enqueue(stale('hold_2'))
    await it.store.notices.enqueue(stale('hold_3'))
    it.clock.advance(60_000)
    const [changing] = (await claimed(it.store)).filter(({ digest }) => digest !== null)
    if (!changing) throw new TypeError('nothing was stale')
    expect(ids([changing, ...(await it.store.notices.claimWith(changing, { limit: 10, ttl_ms: 1 }))])).toEqual([
      'ntc_2',
      'ntc_3',
    ])
  })

  test('the newest message about a hold at an address is found', async () => {
    await using it = await scene()
    const about = { hold_id: 'hold_1' }
    await it.store.notices.enqueue(aBatch([aNotice('ntc_1'), aNotice('ntc_2', { ...about, event: 'reminded' })]))
    const to = { ...about, channel: 'slack', address: 'U1' } as const
    expect(await it.store.notices.newestSent(to)).toBeNull()
    await markAll(it.store, await claimed(it.store), { sent: { ts: '1' } })
    expect(await it.store.notices.newestSent(to)).toMatchObject({ id: 'ntc_1', sent: { ts: '1' } })
    expect(await it.store.notices.newestSent({ ...to, address: 'U2' })).toBeNull()
  })
}
