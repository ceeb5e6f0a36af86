/** How much people are asked: what is on record, counted, and rules replayed over it. */
import { expect, test } from 'vitest'
import type { OpenOptions } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { aProject, command } from './project.ts'
import { advanced, aWorkplace, call, openHold, started } from './workplace.ts'

const START = Date.parse('2030-01-07T09:00:00Z')

const run = (id: string, text: string) => call(id, 'run_command', { command: text })
const CALLS = [
  run('A', 'git status'),
  run('B', 'git status --short'),
  run('C', 'git push origin main'),
  run('D', 'git status -b'),
  run('E', 'rm -rf build'),
]

interface Said {
  readonly verdict?: 'approve' | 'reject'
  /** Whether it was shown to the end. */
  readonly inFull?: boolean
  /** Milliseconds between being shown and the decision. */
  readonly after?: number
}

test('a report says how long people took, what they hardly looked at, and what a rule would have spared', async () => {
  const clock = handClock(START)
  await using place = await aWorkplace({
    script: [{ calls: CALLS }, 'Done.'],
    tools: ['run_command'],
    policy: { default: 'prompt' },
    open: { clock } satisfies OpenOptions,
  })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  const ids = Object.fromEntries(
    await Promise.all(CALLS.map(async ({ id }) => [id, (await openHold(holdpoint, id)).id] as const)),
  )
  const decide = async (id: string, by: string, { verdict = 'approve', inFull = true, after = 1_000 }: Said = {}) => {
    await holdpoint.audit.shown([ids[id] ?? ''], { to: by, surface: 'cli', inFull })
    clock.advance(after)
    await holdpoint.decide(ids[id] ?? '', { verdict, decided_by: by, surface: 'test', reason: `${id} it is` })
  }
  await decide('A', 'ana')
  await decide('B', 'ana', { inFull: false, after: 60_000 })
  await decide('D', 'ana', { after: 3_600_000 })
  await decide('C', 'ben', { verdict: 'reject' })
  const report = await holdpoint.audit.report({
    since: new Date(START - 1).toISOString(),
    until: new Date(clock.now() + 1).toISOString(),
  })
  expect(report).toMatchObject({
    holds: { opened: 5, decided: 4, expired: 0, withdrawn: 0, open: 1 },
    seconds_to_decide: { count: 4, median: 61, longest: 3_662 },
    approved_within_2s: { count: 1, hold_ids: [ids['A']] },
    approved_not_to_the_end: { count: 1, hold_ids: [ids['B']] },
    approved_unseen: { count: 0 },
    people: [
      {
        ...{ person: 'ana', decided: 3, approved: 3, per_hour: 1.5, busiest_hour: 2, approved_within_2s: 1 },
        decided_over_time: [0, 2, 1],
      },
      { person: 'ben', decided: 1, rejected: 1 },
    ],
    tools: [{ tool: 'run_command', opened: 5, approved: 3, rejected: 1, opened_over_time: [0, 5, 0] }],
    rules: [{ tool: 'run_command', match: { command: 'git status*' }, spared: 3, of: 4, rejected: [] }],
  })
  const { bucket_seconds, buckets } = report.over_time
  expect([bucket_seconds, buckets.map(({ opened, decided }) => [opened, decided])]).toEqual([
    3_600,
    [
      [0, 0],
      [5, 2],
      [0, 2],
    ],
  ])
})

test('a rule that covers a rejected call names who rejected it, and is no suggestion before the others', async () => {
  await using place = await aWorkplace({
    script: [{ calls: CALLS }, 'Done.'],
    tools: ['run_command'],
    policy: { default: 'prompt' },
  })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  for (const { id } of CALLS) {
    const verdict = id === 'C' ? 'reject' : 'approve'
    const said = { verdict, decided_by: 'ana', surface: 'test', reason: 'not on a Friday' } as const
    await holdpoint.decide((await openHold(holdpoint, id)).id, said)
  }
  const replay = (command: string) =>
    holdpoint.audit.replay({ agent: 'worker', tool: 'run_command', match: { command } })
  expect(await replay('git *')).toMatchObject({
    spared: 3,
    of: 5,
    rejected: [{ decided_by: 'ana', reason: 'not on a Friday' }],
  })
  expect(await replay('git status*')).toMatchObject({ spared: 3, of: 5, rejected: [] })
  expect(await replay('terraform *')).toMatchObject({ spared: 0, of: 5, rejected: [] })
  expect((await holdpoint.audit.report()).rules.map(({ match }) => match)).toEqual([{ command: 'git status*' }])
  await expect(holdpoint.audit.replay({ agent: 'worker', tool: 'run_command', match: {} })).rejects.toMatchObject({
    code: 'invalid_arguments',
  })
})

test('P1: a rule counts as policy reads a call: a command that does more than it says is not covered', async () => {
  const calls = [run('A', 'git status'), run('B', 'git status; rm -rf build'), run('C', 'git status -s')]
  await using place = await aWorkplace({
    script: [{ calls }, 'Done.'],
    tools: ['run_command'],
    policy: { default: 'prompt' },
  })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  for (const { id } of calls)
    await holdpoint.decide((await openHold(holdpoint, id)).id, {
      verdict: 'approve',
      decided_by: 'ana',
      surface: 'test',
    })
  const match = { command: 'git status*' }
  expect(await holdpoint.audit.replay({ agent: 'worker', tool: 'run_command', match })).toMatchObject({
    spared: 2,
    of: 3,
  })
})

test('holdpoint report prints it for people and for programs', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'git status'), command('tc_2', 'git status -s')] }, 'Done.'],
    policy: { default: 'prompt' },
  })
  expect((await project.holdpoint('report')).exit).toBe(2)
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await project.holdpoint('-c', paused.json.checkpoint_id, '--approve-all')
  const { stdout, exit } = await project.holdpoint('report')
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^2 opened, 2 decided, 0 expired, 0 withdrawn, 0 still open$/m)
  expect(stdout).toMatch(/^run_command +2 /m)
  expect(stdout).toContain(`--match 'command=git status*'`)
  const { json } = await project.holdpoint('report', '--since', '1h', '--json')
  expect(json).toMatchObject({ holds: { opened: 2 }, rules: [{ spared: 2, of: 2 }] })
  const none = await project.holdpoint('report', '--since', '2030-01-02', '--until', '2030-01-01')
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('not before')])
  expect((await project.holdpoint('report', '--since', 'yesterday')).stderr).toContain('no time')
})
