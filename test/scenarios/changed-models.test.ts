/** P12: a thread that began with one model goes on with any other. */
import { describe, expect, test } from 'vitest'
import { ALL_WIRES, expectInOrder } from './wires.ts'
import { advanced, aWorkplace } from './workplace.ts'

describe.each(ALL_WIRES)('with $model', wire => {
  test('a thread whose calls have ids that this provider refuses goes on', async () => {
    const ids = [`call_${'a'.repeat(70)}1`, `call_${'a'.repeat(70)}2`, 'functions.look:0', 'вызов 1']
    await using place = await aWorkplace(it => ({
      script: [{ calls: ids.map(id => ({ id, name: 'look' })) }, 'One.'],
      tools: [it.tool('look')],
    }))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'One.' })
    await using server = await wire.open({ turns: ['One.', 'Two.', 'Three.'] })
    await using later = await place.open({ model: wire.object(server.url) })
    const next = await later.send(thread_id, { text: 'Go on.' })
    expect(await advanced(later, next.run_id)).toMatchObject({ termination: { type: 'natural_end' }, warnings: [] })
    expectInOrder(server, 1)
  })
})
