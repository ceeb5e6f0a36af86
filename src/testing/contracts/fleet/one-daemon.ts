import type { Kit } from '../contract-kit.ts'

export function oneDaemon({ test, expect, scene }: Kit): void {
  const ONE = { process: 'here 1', endpoint: '/run/one.sock', version: '1.0.0' }
  const TWO = { process: 'here 2', endpoint: '/run/two.sock', version: '1.0.0' }
  const taken = { ...ONE, started_at: '2030-01-01T00:00:00.000Z', stop: null }

  test('of several that begin at once, one becomes the daemon', async () => {
    await using it = await scene()
    expect(await it.store.daemons.find()).toBeNull()
    const taking = [ONE, TWO, { ...ONE, process: 'here 3' }].map(each => it.store.daemons.take(each, null))
    const winners = (await Promise.all(taking)).filter(daemon => daemon !== null)
    expect(winners).toHaveLength(1)
    expect(await it.store.daemons.find()).toEqual(winners[0])
  })

  test('a daemon that is gone is replaced by one that saw it, and only once', async () => {
    await using it = await scene()
    expect(await it.store.daemons.take(ONE, null)).toEqual(taken)
    expect(await it.store.daemons.take(TWO, null), 'seen as absent').toBeNull()
    expect(await it.store.daemons.take(TWO, 'here 1')).toMatchObject({ process: 'here 2' })
    expect(await it.store.daemons.take({ ...ONE, process: 'here 3' }, 'here 1'), 'seen too early').toBeNull()
  })

  test('it is asked to end by its name, to kill counts more than to drain, and the next one is not asked', async () => {
    await using it = await scene()
    await it.store.daemons.take(ONE, null)
    expect(await it.store.daemons.askToStop('here 2', 'kill')).toBeNull()
    expect(await it.store.daemons.askToStop('here 1', 'drain')).toEqual({ ...taken, stop: 'drain' })
    expect(await it.store.daemons.askToStop('here 1', 'kill')).toMatchObject({ stop: 'kill' })
    expect(await it.store.daemons.askToStop('here 1', 'drain')).toMatchObject({ stop: 'kill' })
    expect(await it.store.daemons.take(TWO, 'here 1')).toMatchObject({ stop: null })
  })

  test('only the daemon itself takes its row away', async () => {
    await using it = await scene()
    await it.store.daemons.take(ONE, null)
    await it.store.daemons.leave('here 2')
    expect(await it.store.daemons.find()).toEqual(taken)
    await it.store.daemons.leave('here 1')
    expect(await it.store.daemons.find()).toBeNull()
  })
}
