/** A suggested rule that is switched on: what it takes, and whose word counts. */
import { describe, expect, test } from 'vitest'
import type { DecisionInput, Holdpoint, RuleGrant } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { advanced, ana, aWorkplace, call, openHold, started, type Workplace } from './workplace.ts'

const BEN = { by: 'ben', surface: 'test' }
const RULE: RuleGrant = { agent: 'worker', tool: 'run_command', match: { command: 'echo go *' } }
const YEAR_MS = 365 * 86_400_000

type Answer = Partial<DecisionInput> & Pick<DecisionInput, 'verdict'>
const YES: Answer = { verdict: 'approve' }
const NO: Answer = { verdict: 'reject' }

interface Options {
  readonly deciders?: { readonly people?: string[]; readonly quorum?: number }
  readonly year?: boolean
}

/** A worker who asked for these commands in one run, and how each was answered. */
async function answered(
  commands: readonly (readonly [text: string, answer: Answer])[],
  { deciders, year = false }: Options = {},
): Promise<{ readonly place: Workplace; readonly holdpoint: Holdpoint }> {
  const clock = handClock('2030-01-01T00:00:00.000Z')
  const calls = commands.map(([text], n) => call(`c${n}`, 'run_command', { command: text }))
  const place = await aWorkplace({
    ...{ script: [{ calls }, 'Done.'], tools: ['run_command'], policy: { default: 'prompt' } },
    ...(deciders && { deciders }),
    open: { clock },
  })
  const holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  const people = ['ana', 'ben'].slice(0, deciders?.quorum ?? 1)
  for (const [n, [, answer]] of commands.entries()) {
    const { id: hold } = await openHold(holdpoint, `c${n}`)
    const said = people.map(decided_by => ({ hold_id: hold, ...ana, ...answer, decided_by }))
    expect(await holdpoint.decideMany(said)).toMatchObject(said.map(() => ({ outcome: 'recorded' })))
    if (year && n === 0) clock.advance(YEAR_MS)
  }
  return { place, holdpoint }
}

const TWICE = [
  ['echo go 1', YES],
  ['echo go 2', YES],
] as const

async function suggested(holdpoint: Holdpoint): Promise<readonly string[]> {
  const { suggestions } = await holdpoint.grants.suggest()
  return suggestions.map(({ rule }) => String(rule.match['command']))
}

test('a suggestion names who approved what it covers, and the newest of it', async () => {
  const { place, holdpoint } = await answered([...TWICE, ['echo go 2', YES], ['make', YES]])
  await using _ = place
  await using face = holdpoint
  const { suggestions } = await face.grants.suggest()
  expect(suggestions).toMatchObject([
    {
      agent: 'worker',
      rule: { tool: 'run_command', match: { command: 'echo go *' }, policy: 'auto' },
      ...{ spared: 3, of: 4, replayed_over: 4, approved_by: ['ana'] },
      lets_pass: [{ arguments: { command: 'echo go 2' } }, { arguments: { command: 'echo go 1' }, decided_by: 'ana' }],
    },
  ])
})

test('P10: it is a grant of the person who switched it on, on record, and ends like any other', async () => {
  const { place, holdpoint } = await answered(TWICE)
  await using _ = place
  await using face = holdpoint
  const grant = await face.grants.add({ ...RULE, expires_at: '2030-01-02T00:00:00Z' }, BEN)
  expect(grant).toMatchObject({ name: 'echo go *', scope: 'project', granted_by: 'ben', uses: 0 })
  const records = await Array.fromAsync(face.audit.list({ kind: 'grant.given' }))
  expect(records).toMatchObject([
    { record: { actor: 'ben', hold_id: grant.hold_id, data: { grant: { id: grant.id } } } },
  ])
  expect(await face.audit.verify()).toMatchObject({ faults: [] })
  expect(await suggested(face)).toEqual([])
  await expect(face.grants.add(RULE, BEN)).rejects.toMatchObject({ code: 'invalid_grant' })
  await face.grants.revoke(grant.id, BEN)
  expect(await suggested(face)).toEqual(['echo go *'])
})

describe('P1: nothing is offered that a person ever refused', () => {
  const AGAINST: readonly (readonly [how: string, commands: Parameters<typeof answered>[0]])[] = [
    ['rejected', [['echo go 3', NO], ...TWICE]],
    ['rejected in other words', [['CI=1 echo go 3', NO], ...TWICE]],
    ['rejected within a line', [['echo go 3 && echo go 4', NO], ...TWICE]],
    ['edited', [['echo go 3', { verdict: 'edit', arguments: { command: 'echo gone' } }], ...TWICE]],
  ]

  test.each(AGAINST)('nor what was %s a year ago', async (_how, commands) => {
    const { place, holdpoint } = await answered(commands, { year: true })
    await using _ = place
    await using face = holdpoint
    expect(await suggested(face)).toEqual([])
    await expect(face.grants.add(RULE, BEN)).rejects.toMatchObject({
      code: 'invalid_grant',
      message: expect.stringContaining('ana'),
    })
    expect(await face.grants.list({ all: true })).toEqual([])
  })

  test('nor what several people had to approve', async () => {
    const { place, holdpoint } = await answered(TWICE, { deciders: { quorum: 2 } })
    await using _ = place
    await using face = holdpoint
    expect(await suggested(face)).toEqual([])
    await expect(face.grants.add(RULE, BEN)).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  test('what nobody was asked about is no rule', async () => {
    const { place, holdpoint } = await answered(TWICE)
    await using _ = place
    await using face = holdpoint
    const other = { ...RULE, match: { command: 'rm *' } }
    for (const rule of [other, { ...RULE, tool: 'write_file' }, { ...RULE, agent: 'other' }])
      await expect(face.grants.add(rule, BEN)).rejects.toMatchObject({ code: 'invalid_grant' })
  })
})

describe('P1: who switches it on', () => {
  test('is somebody who may decide such calls', async () => {
    const { place, holdpoint } = await answered(TWICE, { deciders: { people: ['ana'] } })
    await using _ = place
    await using face = holdpoint
    await expect(face.grants.add(RULE, BEN)).rejects.toMatchObject({ code: 'not_a_decider' })
    expect(await face.grants.add(RULE, { by: 'ana', surface: 'test' })).toMatchObject({ granted_by: 'ana' })
  })

  test.each(['agent:worker', 'agent:other/run_1'])('is no agent: %s', async by => {
    const { place, holdpoint } = await answered(TWICE)
    await using _ = place
    await using face = holdpoint
    await expect(face.grants.add(RULE, { by, surface: 'test' })).rejects.toMatchObject({
      code: 'invalid_grant',
      message: expect.stringContaining('agents grant nothing'),
    })
    expect(await face.grants.list()).toEqual([])
  })
})
