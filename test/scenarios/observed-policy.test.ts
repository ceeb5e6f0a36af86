/** A policy that only observes stops nobody, and tells what it would have stopped. */
import { expect, test } from 'vitest'
import { aProject, command, effect } from './project.ts'

const NO_PUSH = { tool: 'run_command', match: { command: 'git push*' }, policy: 'never' }
const OBSERVES = { default: 'prompt', mode: 'observe', rules: [NO_PUSH] }
const ASKS = ['-o', 'json', '--pause-on', 'approval', 'go']

const SCRIPT = [
  { calls: [effect('tc_1', 'one')] },
  { calls: [command('tc_2', 'X=echo; $X two >> effects.log')] },
  { calls: [command('tc_3', 'git push')] },
  'Done.',
]

test('what would be asked runs and is reported, also what is in doubt, and never refuses', async () => {
  await using project = await aProject({ script: SCRIPT, policy: { ...OBSERVES, on_never: 'reject' } })
  const done = await project.holdpoint(...ASKS)
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['one', 'two'])
  expect(done.json.warnings).toMatchObject([
    { code: 'calls_refused', calls: 1 },
    { code: 'calls_observed', calls: 2, rules: ['default: prompt', expect.stringContaining('$X')] },
  ])
  const explained = await project.holdpoint('audit', 'explain', done.json.run_id)
  expect(explained.stdout).toContain('observed, where a person would be asked: default: prompt')
})

test('P1: a write into the records of Holdpoint asks under it, too', async () => {
  const write = { id: 'tc_1', name: 'write_file', args: { path: '.holdpoint/policy.json', content: '{}' } }
  await using project = await aProject({ script: [{ calls: [write] }, 'Done.'], policy: OBSERVES })
  expect(await project.holdpoint(...ASKS)).toMatchObject({ exit: 10 })
})

test('policy check says what would be asked, and another mode is refused', async () => {
  await using project = await aProject({ policy: OBSERVES })
  const { json } = await project.holdpoint('policy', 'check', 'make', '--json')
  expect(json).toMatchObject({ policy: 'auto', rule: 'observed, where a person would be asked: default: prompt' })
  await project.write('.holdpoint/policy.json', JSON.stringify({ ...OBSERVES, mode: 'watch' }))
  expect((await project.holdpoint('policy', 'check', 'make')).stderr).toContain('mode must be "ask" or "observe"')
})
