import { expect, test } from 'vitest'
import type { Holdpoint, RunView, StopCondition } from '../../src/index.ts'
import { historyFaults } from './history-faults.ts'
import { advanced, ana, aWorkplace, call, onlyHold, openHold, results, started } from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const
const upTo = (pauses: number): readonly StopCondition[] => [{ type: 'max_pauses', pauses }]
const stopped = (detail: string) => ({ status: 'done', termination: { type: 'stopped', code: 'max_pauses', detail } })
const rounds = (...batches: readonly (readonly string[])[]) =>
  batches.map((names, round) => ({ calls: names.map((name, n) => call(`${name}_${round}_${n}`, name)) }))

async function approved(holdpoint: Holdpoint, id: string): Promise<RunView> {
  for (const hold of await holdpoint.holds({ status: 'open' })) await holdpoint.decide(hold.id, approve)
  return advanced(holdpoint, id)
}

test.each(['batch', 'call'] as const)(
  'P1: a run that may pause once asks once, and ends when it would ask again (scope: %s)',
  async holdScope => {
    await using place = await aWorkplace(place => ({
      script: [...rounds(['pay', 'pay'], ['look'], ['look', 'pay', 'pay']), 'Never said.'],
      stop: upTo(1),
      holdScope,
      tools: [place.held('pay'), place.tool('look')],
    }))
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting' })
    const view = await approved(holdpoint, id)
    expect(view).toMatchObject({ ...stopped('it paused 1 time'), steps: 3 })
    expect(place.effects).toEqual(['pay', 'pay', 'look'])
    expect(results(view).slice(3)).toEqual([
      ['look_2_0', expect.stringContaining('TOOL_CALL_CANCELLED')],
      ['pay_2_1', expect.stringMatching(/TOOL_CALL_FORBIDDEN.*nobody was asked; it did not run/)],
      ['pay_2_2', expect.stringContaining('TOOL_CALL_CANCELLED')],
    ])
    expect(historyFaults(view.messages)).toEqual([])
    expect(await holdpoint.holds({ status: 'open' })).toEqual([])
  },
)

test('the model sees the results of the last pause, and may end by itself', async () => {
  await using place = await aWorkplace(place => ({
    script: [...rounds(['pay']), 'Paid.'],
    stop: upTo(1),
    tools: [place.held('pay')],
  }))
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  expect(await approved(holdpoint, id)).toMatchObject({ termination: { type: 'natural_end' }, answer: 'Paid.' })
})

test('a message of a person begins the count of pauses anew', async () => {
  await using place = await aWorkplace(place => ({
    script: [...rounds(['pay'], ['pay'], ['pay']), 'Paid.'],
    stop: upTo(1),
    tools: [place.held('pay')],
  }))
  await using holdpoint = await place.open()
  const { id, thread_id } = await started(holdpoint)
  await advanced(holdpoint, id)
  expect(await approved(holdpoint, id)).toMatchObject(stopped('it paused 1 time'))
  const { run_id } = await holdpoint.send(thread_id, { text: 'Pay it.', author: 'ana' })
  expect(await advanced(holdpoint, String(run_id))).toMatchObject({ status: 'waiting' })
  expect(await approved(holdpoint, String(run_id))).toMatchObject({ termination: { type: 'natural_end' } })
  expect(place.effects).toEqual(['pay', 'pay'])
})

test('a message that waits when the run would pause too often is answered', async () => {
  await using place = await aWorkplace(place => ({
    script: [...rounds(['pay'], ['look', 'pay']), 'Answer.'],
    stop: upTo(1),
    tools: [place.held('pay'), place.tool('look')],
    plugins: [
      {
        name: 'meanwhile',
        hooks: {
          beforeToolExecute: async (view, { id }) => {
            if (id === 'look_1_0') await elsewhere.send(view.thread_id, { text: 'Stop?', author: 'ben' })
          },
        },
      },
    ],
  }))
  await using elsewhere = await place.open()
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  const view = await approved(holdpoint, id)
  expect(view).toMatchObject({ termination: { type: 'natural_end' }, answer: 'Answer.' })
  expect(view.messages.map(({ content }) => content).slice(-2)).toEqual(['Stop?', 'Answer.'])
  expect(results(view)[2]).toEqual(['pay_1_1', expect.stringContaining('TOOL_CALL_FORBIDDEN')])
  expect(place.effects).toEqual(['pay', 'look'])
})

test('what has drifted is asked about again, however often the run paused', async () => {
  await using place = await aWorkplace(place => ({
    script: [...rounds(['pay']), 'Paid.'],
    stop: upTo(1),
    tools: [place.held('pay')],
  }))
  const first = await place.open()
  const { id } = await started(first)
  await advanced(first, id)
  await first.decide((await onlyHold(first)).id, approve)
  await first[Symbol.asyncDispose]()
  const changed = place.held('pay', { inputSchema: { type: 'object', properties: { more: { type: 'string' } } } })
  await using second = await place.open({ tools: [changed] })
  expect(await advanced(second, id)).toMatchObject({ status: 'waiting' })
  expect(await openHold(second, 'pay_0_0')).toMatchObject({ kind: 'approval' })
  expect(await approved(second, id)).toMatchObject({ termination: { type: 'natural_end' } })
})

test('a tool that asks while it runs is refused too, and a run that asks nobody is not ended', async () => {
  await using place = await aWorkplace(place => ({
    script: [...rounds(['ask'], ['ask']), 'Done.'],
    stop: upTo(1),
    tools: [
      place.tool('ask', {
        execute: async (_args, { suspend, decision }) => {
          if (!decision) suspend({ message: 'Which?' })
          return 'known'
        },
      }),
    ],
  }))
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  const view = await approved(holdpoint, id)
  expect(view).toMatchObject(stopped('it paused 1 time'))
  expect(results(view)[1]).toEqual(['ask_1_0', expect.stringMatching(/TOOL_CALL_FORBIDDEN.*it had started/)])

  await using alone = await place.open({
    script: [...rounds(['pay'], ['pay']), 'Done.'],
    tools: [place.held('pay')],
    pauseOn: [],
  })
  const other = await started(alone)
  expect(await advanced(alone, other.id)).toMatchObject({
    termination: { type: 'natural_end' },
    counters: { pauses: 0 },
  })
})
