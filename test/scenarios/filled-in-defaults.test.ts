/** P9: an approver is shown all that runs, with what the schema fills in. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { defineTool, Json, Tool } from '../../src/index.ts'
import { advanced, ana, aWorkplace, call, journalOfThread, onlyHold, started, type Workplace } from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const
const SCHEMA = z.object({ order: z.number(), amount: z.number().default(1000) })

function pay(place: Workplace, inputSchema: Parameters<typeof defineTool>[0]['inputSchema'] = SCHEMA): Tool {
  return place.held('pay', {
    inputSchema,
    execute: (args: Record<string, Json>) => {
      place.effects.push(JSON.stringify(args))
      return null
    },
  })
}

async function paying(inputSchema?: Parameters<typeof pay>[1]): Promise<Workplace> {
  return aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { order: 7 })] }, 'Done.'],
    tools: [pay(place, inputSchema)],
  }))
}

test('P9: a default that the schema fills in is shown to the approver, and is what runs', async () => {
  await using place = await paying()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.arguments).toEqual({ order: 7, amount: 1000 })
  await using later = await place.open()
  await later.decide(hold.id, approve)
  const view = await advanced(later, run.id)
  expect(place.effects).toEqual(['{"order":7,"amount":1000}'])
  // The conversation keeps what the model wrote.
  expect(view.messages[1]).toMatchObject({ tool_calls: [{ arguments: { order: 7 } }] })
})

test('P9: a default that is another one each time is the one that was shown', async () => {
  let count = 0
  const ticket = z.object({ order: z.number(), ticket: z.number().default(() => (count += 1)) })
  await using place = await paying(ticket)
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  await holdpoint.decide(hold.id, approve)
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual([JSON.stringify(hold.arguments)])
})

test('P9: what the schema fills into edited arguments is on record with the edit', async () => {
  await using place = await paying()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const said = { verdict: 'edit', arguments: { order: 8 }, decision_id: 'dec_1', ...ana } as const
  const hold = await onlyHold(holdpoint)
  const receipt = await holdpoint.decide(hold.id, said)
  expect(receipt).toMatchObject({ outcome: 'recorded', decision: { arguments: { order: 8, amount: 1000 } } })
  expect(await holdpoint.decide(hold.id, said)).toMatchObject({ outcome: 'duplicate' })
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(['{"order":8,"amount":1000}'])
})

test('P1: a rule about an argument counts for the default that is filled in', async () => {
  await using place = await paying()
  const rules = [{ tool: 'pay', match: { amount: '1000' }, policy: 'never' as const }]
  const policy = { rules, on_never: 'reject' as const }
  await using holdpoint = await place.open({ policy })
  const run = await started(holdpoint)
  const view = await advanced(holdpoint, run.id)
  expect(view.messages).toContainEqual(
    expect.objectContaining({ role: 'tool', content: expect.stringContaining('policy says never') }),
  )
  expect(place.effects).toEqual([])
})

test('a call that needs nobody runs with its defaults, and the journal says with which', async () => {
  await using place = await paying()
  await using holdpoint = await place.open({ tools: [{ ...pay(place), needsApproval: () => false }] })
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(['{"order":7,"amount":1000}'])
  const journal = await journalOfThread(holdpoint, run.thread_id)
  expect(journal.find(({ kind }) => kind === 'call.gated')?.data).toMatchObject({ arguments: { amount: 1000 } })
})

test('arguments that each check changes run as they are written', async () => {
  await using place = await aWorkplace(it => {
    const made = pay(it, { type: 'object' })
    const grown: Tool = { ...made, validate: args => ({ ok: true, value: { ...args, n: Number(args['n'] ?? 0) + 1 } }) }
    return { script: [{ calls: [call('A', 'pay', { order: 7 })] }, 'Done.'], tools: [grown] }
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.arguments).toEqual({ order: 7 })
  await holdpoint.decide(hold.id, approve)
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(['{"order":7}'])
})
