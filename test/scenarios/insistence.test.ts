import { describe, expect, test } from 'vitest'
import { possibleVerdicts } from '../../src/core/hold-view/possible-verdicts.ts'
import type { Hold, Holdpoint, Json, Plugin, RunView } from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { historyFaults } from './history-faults.ts'
import { aProject, command } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, results, started, type Workplace } from './workplace.ts'

type Args = Record<string, Json>
type Asked = readonly [name: string, args?: Args]

/** One turn for each batch of calls. */
function turns(...batches: readonly (readonly Asked[])[]): Script {
  return batches.map((asked, turn) => ({
    calls: asked.map(([name, args], n) => call(`${name}_${turn}_${n}`, name, args)),
  }))
}

const again = (asked: Asked, times: number) => Array.from({ length: times }, () => [asked])

const NEVER: Plugin = {
  name: 'never-pay',
  hooks: {
    beforeToolExecute: (_view, { name }) =>
      name === 'pay' ? { deny: { code: 'TOOL_CALL_FORBIDDEN', message: 'the budget is closed.' } } : undefined,
  },
}

/** An agent of which `pay` is held, and whose model asks for what the script says. */
function worker(script: Script, more: Parameters<Workplace['open']>[0] = {}): Promise<Workplace> {
  return aWorkplace(place => ({
    script,
    tools: [
      place.held('pay'),
      place.held('ship'),
      place.tool('look'),
      place.tool('break', { execute: () => failing() }),
    ],
    ...more,
  }))
}

function failing(): never {
  throw new Error('it broke')
}

/** Rejects what is held until something else happens; the run as it is then. */
async function rejected(holdpoint: Holdpoint, id: string): Promise<RunView> {
  await advanced(holdpoint, id)
  for (const hold of await holdpoint.holds({ status: 'open' }))
    await holdpoint.decide(hold.id, { verdict: 'reject', reason: 'not today', ...ana })
  return advanced(holdpoint, id)
}

const insisted = (detail: RegExp) => ({
  status: 'done',
  termination: { type: 'stopped', code: 'insisted', detail: expect.stringMatching(detail) },
})

describe('a model that repeats a call which a person rejected', () => {
  test('is refused three times, and then a person is asked whether it insists', async () => {
    await using place = await worker(turns(...again(['pay'], 20)))
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    const view = await rejected(holdpoint, id)
    expect(view).toMatchObject({ status: 'waiting', steps: 4 })
    const hold = await onlyHold(holdpoint)
    expect(hold).toMatchObject({
      kind: 'approval',
      call_id: 'pay_3_0',
      message: expect.stringMatching(/^It insists: .*pay 3 times in a row.*not today.*Approve it, and it runs once/),
      refused_before: { times: 3, because: expect.stringContaining('not today') },
    })
    expect(hold.refused_before).not.toHaveProperty('for_good')
    expect(place.effects).toEqual([])
  })

  test('P1: may be let through once by a person, and is refused again afterwards', async () => {
    await using place = await worker([...turns(...again(['pay'], 6)), 'Enough.'])
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    await rejected(holdpoint, id)
    await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ status: 'done', answer: 'Enough.' })
    expect(place.effects).toEqual(['pay'])
    expect(results(view).map(([callId, content]) => [callId, String(content).split(':')[0]])).toEqual([
      ['pay_0_0', 'TOOL_CALL_REJECTED'],
      ['pay_1_0', 'TOOL_CALL_REJECTED'],
      ['pay_2_0', 'TOOL_CALL_REJECTED'],
      ['pay_3_0', 'pay done'],
      ['pay_4_0', 'TOOL_CALL_REJECTED'],
      ['pay_5_0', 'TOOL_CALL_REJECTED'],
    ])
    expect(historyFaults(view.messages)).toEqual([])
  })

  test('goes on without it once the person rejects it again, and is asked about after three more refusals', async () => {
    await using place = await worker(turns(...again(['pay'], 20)))
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    await rejected(holdpoint, id)
    const view = await rejected(holdpoint, id)
    expect(view).toMatchObject({ status: 'waiting', steps: 7 })
    expect((await onlyHold(holdpoint)).call_id).toBe('pay_6_0')
  })

  test('is counted anew after something else that works, not after something that fails', async () => {
    const script = turns(...again(['pay'], 3), [['look']], ...again(['pay'], 3), [['break']], ...again(['pay'], 9))
    await using place = await worker(script)
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    expect(await rejected(holdpoint, id)).toMatchObject({ status: 'waiting', steps: 9 })
  })

  test('is counted anew by a message of a person', async () => {
    await using place = await worker([...turns(...again(['pay'], 3)), 'I give up.', ...turns(...again(['pay'], 9))])
    await using holdpoint = await place.open()
    const { id, thread_id } = await started(holdpoint)
    await advanced(holdpoint, id, { pauseOn: ['input'] })
    await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'reject', ...ana })
    expect(await advanced(holdpoint, id, { pauseOn: ['input'] })).toMatchObject({ status: 'waiting', steps: 4 })
    await holdpoint.send(thread_id, { text: 'try once more' })
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting', steps: 8 })
  })

  test('insists also if it takes turns between two calls, or asks for several at once', async () => {
    await using turnwise = await worker(
      turns(...Array.from({ length: 20 }, (_, n) => [[n % 2 ? 'pay' : 'ship'] as Asked])),
    )
    await using first = await turnwise.open()
    const { id } = await started(first)
    await rejected(first, id)
    expect(await rejected(first, id)).toMatchObject({ status: 'waiting', steps: 7 })
    await using atOnce = await worker(
      turns(...again(['pay'], 0), ...Array.from({ length: 9 }, () => [['pay'], ['pay']] as Asked[])),
    )
    await using second = await atOnce.open()
    const both = await started(second)
    // Two equal calls of one answer are one refusal: the model had not heard of it.
    expect(await rejected(second, both.id)).toMatchObject({ status: 'waiting', steps: 4 })
    expect((await second.holds({ status: 'open' })).map(({ call_id }) => call_id).toSorted()).toEqual([
      'pay_3_0',
      'pay_3_1',
    ])
  })

  test('insists on a call with these arguments alone', async () => {
    const script = turns(...Array.from({ length: 6 }, (_, n) => [['pay', { to: n % 6 }] as Asked]))
    await using place = await worker([...script, 'Enough.'])
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    for (const _ of script as []) await rejected(holdpoint, id)
    expect((await holdpoint.holds({})).every((hold: Hold) => hold.refused_before === undefined)).toBe(true)
    expect(await holdpoint.run(id)).toMatchObject({ status: 'done', steps: 7 })
  })

  test('ends the run when it would pause once more than it may', async () => {
    await using place = await worker(turns(...again(['pay'], 20)), { stop: [{ type: 'max_pauses', pauses: 1 }] })
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    expect(await rejected(holdpoint, id)).toMatchObject({ steps: 4, termination: { code: 'max_pauses' } })
  })
})

describe('a call that a rule refuses', () => {
  const NO = { policy: { default: 'never', on_never: 'reject' } } as const

  test('is held after three refusals, and cannot be approved', async () => {
    await using place = await worker(turns(...again(['pay'], 20)), NO)
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting', steps: 4 })
    const hold = await onlyHold(holdpoint)
    expect(hold).toMatchObject({ refused_before: { times: 3, for_good: true } })
    expect(hold.overrides_never).toBeUndefined()
    expect(await holdpoint.decide(hold.id, { verdict: 'approve', ...ana })).toMatchObject({
      outcome: 'refused',
      error: { code: 'verdict_not_possible', message: expect.stringContaining('policy says never') },
    })
    expect(possibleVerdicts(hold, { name: 'ana' }).map(({ verdict }) => verdict)).toEqual(['reject', 'edit', 'cancel'])
    await holdpoint.decide(hold.id, { verdict: 'reject', reason: 'stop that', ...ana })
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting', steps: 7 })
    expect(place.effects).toEqual([])
  })

  test.each([
    ['its policy', NO],
    ['a plugin that refuses', { plugins: [NEVER] }],
    [
      'a plugin that asks',
      { plugins: [{ name: 'ask', hooks: { beforeToolExecute: () => ({ suspend: { message: 'May it?' } }) } }] },
    ],
  ] as const)('ends the run where nobody is asked: %s', async (_of, more) => {
    await using place = await worker(turns(...again(['pay'], 20)), { ...more, pauseOn: [] } as Parameters<
      Workplace['open']
    >[0])
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ ...insisted(/a call of pay that was refused 3 times in a row/), steps: 4 })
    expect(historyFaults(view.messages)).toEqual([])
    expect(place.effects).toEqual([])
  })

  test('P2: does not end a run for which a message came meanwhile, and the count begins anew', async () => {
    const said: string[] = []
    await using place = await worker(turns(...again(['pay'], 20)), { pauseOn: [] })
    const sends: Plugin = {
      name: 'sends',
      hooks: {
        beforeToolExecute: async ({ thread_id }, { id }) => {
          if (id === 'pay_3_0' && said.length === 0)
            said.push((await holdpoint.send(thread_id, { text: 'wait' })).run_id)
          return { deny: { code: 'TOOL_CALL_FORBIDDEN', message: 'the budget is closed.' } }
        },
      },
    }
    await using holdpoint = await place.open({ plugins: [sends] })
    const { id } = await started(holdpoint)
    expect(await advanced(holdpoint, id)).toMatchObject({ ...insisted(/pay/), steps: 8 })
    expect(said).toEqual([id])
  })
})

test('a run in a shell whose model insists on what was rejected pauses for it with exit 10', async () => {
  await using project = await aProject({
    script: Array.from({ length: 30 }, (_, n) => ({ calls: [command(`tc_${n}`, 'echo applied >> effects.log')] })),
  })
  const paused = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'go')
  expect(paused.exit).toBe(10)
  const asked = await project.holdpoint(
    '-c',
    paused.json.checkpoint_id,
    '-o',
    'json',
    '--reject-all',
    '--reason',
    'not today',
  )
  expect(asked).toMatchObject({
    exit: 10,
    json: {
      steps_taken: 4,
      pause_reason: {
        pending_tool_calls: [
          { id: 'tc_3', message: expect.stringContaining('It insists'), refused_before: { times: 3 } },
        ],
      },
      resume_hint: expect.stringContaining('--reject tc_3'),
    },
  })
  const shown = await project.holdpoint('show', asked.json.pause_reason.pending_tool_calls[0].hold_id)
  expect(shown.stdout).toContain('It insists')
  expect(await project.effects()).toEqual([])
})

test('a headless run whose model insists on what policy refuses ends with exit 1', async () => {
  await using project = await aProject({
    script: Array.from({ length: 30 }, (_, n) => ({ calls: [command(`tc_${n}`, 'echo applied >> effects.log')] })),
    policy: { tools: { run_command: 'never' } },
  })
  const ended = await project.holdpoint('-a', '-o', 'json', 'go')
  expect(ended).toMatchObject({
    exit: 1,
    json: {
      outcome: 'stopped',
      error: { code: 'insisted', hint: expect.stringContaining('"what to do differently"') },
      steps_taken: 4,
    },
  })
})
