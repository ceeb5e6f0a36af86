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

test('P9: arguments that each check would change once more run as they were shown', async () => {
  await using place = await aWorkplace(it => {
    const made = pay(it, { type: 'object' })
    const grown: Tool = { ...made, validate: args => ({ ok: true, value: { ...args, n: Number(args['n'] ?? 0) + 1 } }) }
    return { script: [{ calls: [call('A', 'pay', { order: 7 })] }, 'Done.'], tools: [grown] }
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.arguments).toEqual({ order: 7, n: 1 })
  await holdpoint.decide(hold.id, approve)
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(['{"order":7,"n":1}'])
})

/** Counts how often the schema is evaluated: `amount` is one more each time. */
function counting() {
  let evaluated = 0
  const amount = z.number().transform(written => {
    evaluated += 1
    return written + evaluated / 1000
  })
  return { schema: z.object({ order: z.number(), amount }), evaluations: () => evaluated }
}

test.each(['live', 'after a restart'])(
  'P9: a transform is evaluated once: gate, card and run see the same, %s',
  async life => {
    const { schema, evaluations } = counting()
    const gated: unknown[] = []
    await using place = await aWorkplace(it => ({
      script: [{ calls: [call('A', 'pay', { order: 7, amount: 10 })] }, 'Done.'],
      tools: [
        it.tool('pay', {
          inputSchema: schema,
          needsApproval: (args: unknown) => gated.push(args) > 0,
          preview: (args: unknown) => `${JSON.stringify(args)}`,
          execute: (args: unknown) => void it.effects.push(JSON.stringify(args)),
        }),
      ],
    }))
    await using first = await place.open()
    const run = await started(first)
    await advanced(first, run.id)
    const hold = await onlyHold(first)
    expect(hold.arguments).toEqual({ order: 7, amount: 10.001 })
    await using second = life === 'live' ? null : await place.open()
    const now = second ?? first
    await now.decide(hold.id, approve)
    await advanced(now, run.id)
    expect(place.effects).toEqual(['{"order":7,"amount":10.001}'])
    expect(new Set(gated.map(each => JSON.stringify(each)))).toEqual(new Set(['{"order":7,"amount":10.001}']))
    expect(evaluations()).toBe(1)
  },
)

test('a transform of a call that needs nobody is evaluated once', async () => {
  const { schema, evaluations } = counting()
  await using place = await aWorkplace(it => ({
    script: [{ calls: [call('A', 'pay', { order: 7, amount: 10 })] }, 'Done.'],
    tools: [
      it.tool('pay', { inputSchema: schema, execute: (args: unknown) => void it.effects.push(JSON.stringify(args)) }),
    ],
  }))
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  expect(place.effects).toEqual(['{"order":7,"amount":10.001}'])
  expect(evaluations()).toBe(1)
})

const NUMBER_IN_TEXT = z.object({ order: z.number(), amount: z.string().transform(Number) })
const CENTS = z.object({ order: z.number(), amount: z.number().transform(euros => euros * 100) })
const TRIMMED = z.object({ order: z.number(), amount: z.string().trim() })

interface Edit {
  readonly schema: z.ZodType
  readonly written: Json
  readonly edit: Json
  readonly runs: Json
}

const EDITED: readonly [what: string, edit: Edit][] = [
  ['another field beside a text that became a number', { schema: NUMBER_IN_TEXT, written: '10', edit: 10, runs: 10 }],
  ['a text that becomes a number', { schema: NUMBER_IN_TEXT, written: '10', edit: '11', runs: 11 }],
  ['another field beside a number that became another', { schema: CENTS, written: 10, edit: 1000, runs: 1000 }],
  ['a text that is trimmed', { schema: TRIMMED, written: ' a ', edit: ' b ', runs: 'b' }],
]

test.each(EDITED)('P9: an edit of %s runs as the person wrote it', async (_, { schema, written, edit, runs }) => {
  await using place = await aWorkplace(it => ({
    script: [{ calls: [call('A', 'pay', { order: 7, amount: written })] }, 'Done.'],
    tools: [pay(it, schema as never)],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const said = { verdict: 'edit', arguments: { order: 8, amount: edit }, ...ana } as const
  const receipt = await holdpoint.decide((await onlyHold(holdpoint)).id, said)
  expect(receipt).toMatchObject({ outcome: 'recorded', decision: { arguments: { order: 8, amount: runs } } })
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual([JSON.stringify({ order: 8, amount: runs })])
})

test('P9: an edit that the schema would make something else of is refused with its place', async () => {
  await using place = await aWorkplace(it => ({
    script: [{ calls: [call('A', 'pay', { order: 7, amount: 10 })] }, 'Done.'],
    tools: [pay(it, CENTS as never)],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const said = { verdict: 'edit', arguments: { order: 7, amount: 2000 }, ...ana } as const
  expect(await holdpoint.decide((await onlyHold(holdpoint)).id, said)).toMatchObject({
    outcome: 'refused',
    error: {
      code: 'invalid_arguments',
      message: expect.stringContaining('arguments.amount: 2000 would run as 200000'),
    },
  })
  expect(place.effects).toEqual([])
})

test('a schema that makes what JSON cannot hold is shown what was written, and the tool gets what it made', async () => {
  const when = z.object({ order: z.number(), amount: z.iso.datetime().transform(text => new Date(text)) })
  await using place = await aWorkplace(it => ({
    script: [{ calls: [call('A', 'pay', { order: 7, amount: '2030-01-01T00:00:00Z' })] }, 'Done.'],
    tools: [
      it.held('pay', {
        inputSchema: when,
        execute: ({ amount }: { amount: unknown }) => void it.effects.push(String(amount instanceof Date)),
      }),
    ],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.arguments).toEqual({ order: 7, amount: '2030-01-01T00:00:00Z' })
  await holdpoint.decide(hold.id, approve)
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(['true'])
})
