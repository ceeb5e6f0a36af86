/** A run in which calls were refused says so, whatever its agent says. */
import { expect, test } from 'vitest'
import { aProject, command, effect, type ProjectOptions } from './project.ts'

const PUSH = { calls: [command('tc_1', 'git push --force')] }
const AGAIN = { calls: [command('tc_2', 'git push --force origin')] }
const LIES = 'All done, pushed.'
const RULE = { tool: 'run_command', match: { command: 'git push*' }, policy: 'never' }
const NEVER = { default: 'auto', rules: [RULE] }
const SAID = 'rule run_command {"command":"git push*"}: never'

const FORBIDDEN: ProjectOptions = { script: [PUSH, AGAIN, LIES], policy: NEVER }

test('a run whose calls policy refused tells how many, and by which rule', async () => {
  await using project = await aProject(FORBIDDEN)
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed', final_message: LIES } })
  expect(done.json.warnings).toEqual([
    {
      ...{ code: 'calls_refused', calls: 2, rules: [SAID] },
      message: `2 calls were refused, and nobody was asked: ${SAID}.`,
      hint: expect.stringContaining('may not have been done'),
    },
  ])
})

test('in text mode it is a line on stderr, and stdout is what the agent said', async () => {
  await using project = await aProject(FORBIDDEN)
  const done = await project.holdpoint('go')
  expect(done).toMatchObject({ exit: 0, stdout: `${LIES}\n` })
  expect(done.stderr).toMatch(/^holdpoint: warning: 2 calls were refused, and nobody was asked: rule run_command/)
})

test('with --fail-on-refusal it exits with 1, and without a refusal with 0', async () => {
  await using project = await aProject(FORBIDDEN)
  expect(await project.holdpoint('--fail-on-refusal', '-o', 'json', 'go')).toMatchObject({
    exit: 1,
    json: { outcome: 'completed', warnings: [{ code: 'calls_refused' }] },
  })
  await using other = await aProject({
    script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'],
    policy: { default: 'auto' },
  })
  const done = await other.holdpoint('--fail-on-refusal', '-o', 'json', 'go')
  expect([done.exit, done.json.warnings]).toEqual([0, undefined])
})

const DOUBTED = { calls: [command('tc_1', 'X=git; $X push')] }

test('a call in doubt that nobody could look at counts as refused', async () => {
  await using project = await aProject({ script: [DOUBTED, LIES], policy: NEVER })
  const { json } = await project.holdpoint('-o', 'json', 'go')
  expect(json.warnings).toMatchObject([{ code: 'calls_refused', calls: 1 }])
  expect(json.warnings[0].rules[0]).toContain('depends on $X')
})

test('a call that a person rejected is no news, and one that was refused before a pause is told after it', async () => {
  const both = [PUSH, { calls: [effect('tc_2', 'two')] }, LIES]
  const policy = { ...NEVER, tools: { run_command: 'prompt' }, on_never: 'reject' }
  await using project = await aProject({ script: both, policy })
  const paused = await project.holdpoint('-o', 'json', '--pause-on', 'approval', 'go')
  expect(paused).toMatchObject({ exit: 10, json: { warnings: [{ code: 'calls_refused', calls: 1 }] } })
  const done = await project.holdpoint('-o', 'json', '-c', paused.json.checkpoint_id, '--reject', 'tc_2')
  expect(done.json.warnings).toMatchObject([{ code: 'calls_refused', calls: 1, rules: [SAID] }])
})

test('a run is shown with it later, and a stream of events ends with it', async () => {
  await using project = await aProject(FORBIDDEN)
  const { stdout } = await project.holdpoint('-o', 'stream-json', 'go')
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ kind: 'outcome', warnings: [{ code: 'calls_refused', calls: 2 }] })
  const shown = await project.holdpoint('show', last.run_id, '--json')
  expect(shown.json).toMatchObject({ warnings: [{ code: 'calls_refused', calls: 2, rules: [SAID] }] })
  expect((await project.holdpoint('show', last.run_id)).stdout).toContain('2 calls were refused')
})

test('who waits for an agent in the background is told it', async () => {
  await using project = await aProject({ ...FORBIDDEN, policy: { ...NEVER, on_never: 'reject' } })
  const rested = await project.holdpoint('agents', 'spawn', '--wait', '--json', 'go')
  expect(rested.json).toMatchObject({ answer: LIES, warnings: [{ code: 'calls_refused', calls: 2 }] })
})
