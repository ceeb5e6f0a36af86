import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject, command, type Project } from './project.ts'
import { HAS_TERMINAL, inTerminal } from './terminal/pseudo-terminal.ts'

const PUSH = 'echo pushing; echo "remote says no" >&2; exit 3'

describe('a command that a person approved and that failed', () => {
  let project: Project
  let hold: string
  let run: string

  beforeAll(async () => {
    project = await aProject({
      script: [{ calls: [command('c1', PUSH)] }, 'The push did not go through.'],
      policy: { tools: { run_command: 'prompt' } },
    })
    run = (await project.holdpoint('--pause-on-approval', '-o', 'json', 'push')).json.run_id
    hold = (await project.holdpoint('holds', '--json')).json[0].id
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('has no result before the decision', async () => {
    expect((await project.holdpoint('show', hold, '--json')).json.result).toBeNull()
    expect(await project.holdpoint('approve', hold)).toMatchObject({ exit: 0 })
    expect((await project.holdpoint('show', hold)).stdout).toContain('It has not started yet.')
  })

  test('its card tells how it failed, what it printed and what the agent said next', async () => {
    expect(await project.holdpoint('work', '--once')).toMatchObject({ exit: 0 })
    const { json } = await project.holdpoint('show', hold, '--json')
    expect(json.result).toMatchObject({
      status: 'succeeded',
      error: null,
      outcome: { exit_code: 3, signal: null, failed: true },
      output: 'pushing\n\nremote says no\n',
      output_is_cut: false,
      said_next: 'The push did not go through.',
      termination: { type: 'natural_end' },
    })
    const { stdout } = await project.holdpoint('show', hold)
    expect(stdout).toMatch(/It failed after \d+ s with exit 3\./)
    expect(stdout).toContain('remote says no')
    expect(stdout).toContain('The push did not go through.')
  })

  test.skipIf(!HAS_TERMINAL)('the list of runs tells that its last command failed', async () => {
    const { screen } = await inTerminal(project, ['runs'])
    expect(screen).toMatch(/run_\w+ +exit 3 /)
  })

  test('the audit log and its explanation tell the exit code', async () => {
    expect((await project.holdpoint('audit')).stdout).toContain('exit_code=3')
    const decisions = await project.holdpoint('audit', '--decisions', '--agent', 'default')
    expect(decisions.stdout).toMatch(
      /^\d+ {2}\S+ {2}ana approved “Run .*” for default; it failed after \d+ s with exit 3 {2}/,
    )
    expect((await project.holdpoint('audit', '--agent', 'another')).stdout).toBe('Nothing is on record.\n')
    expect((await project.holdpoint('audit', 'explain', run)).stdout).toContain('FAILED with exit 3')
    const { calls } = (await project.holdpoint('audit', 'explain', run, '--json')).json
    expect(calls[0].finished).toMatchObject({ status: 'succeeded', outcome: { exit_code: 3, failed: true } })
    expect(await project.holdpoint('audit', 'verify', '--json')).toMatchObject({ exit: 0 })
  })
})

test('an exit code of 1 that is an answer is told, and is no failure', async () => {
  await using project = await aProject({
    script: [{ calls: [command('c1', 'grep -q nothing /dev/null')] }, 'It is not there.'],
    policy: { tools: { run_command: 'prompt' } },
  })
  await project.holdpoint('--pause-on-approval', '-o', 'json', 'look')
  const [{ id, run_id }] = (await project.holdpoint('holds', '--json')).json
  await project.holdpoint('approve', id, '--advance')
  expect((await project.holdpoint('show', id, '--json')).json.result.outcome).toEqual({
    exit_code: 1,
    signal: null,
    failed: false,
  })
  expect((await project.holdpoint('show', id)).stdout).toContain('with exit 1, which is an answer.')
  expect((await project.holdpoint('audit', 'explain', run_id)).stdout).not.toContain('FAILED')
})

test('a rejected call has no result but what the agent says next', async () => {
  await using project = await aProject({
    script: [{ calls: [command('c1', 'true')] }, 'Then I leave it.'],
    policy: { tools: { run_command: 'prompt' } },
  })
  await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [{ id }] = (await project.holdpoint('holds', '--json')).json
  await project.holdpoint('reject', id, '--reason', 'no', '--advance')
  const { stdout } = await project.holdpoint('show', id)
  expect(stdout).not.toMatch(/It failed|It is done|not started/)
  expect(stdout).toContain('Then I leave it.')
})
