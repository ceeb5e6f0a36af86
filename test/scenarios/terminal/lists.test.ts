/** Lists in a terminal: what a person sees of runs, sessions, holds and checkpoints. */
import { resolve } from 'node:path'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { HAS_TERMINAL, inTerminal, masked } from './pseudo-terminal.ts'

/** Seen three days later, so that the machine may take its time. */
const LATER = {
  NO_COLOR: '1',
  NODE_OPTIONS: `--import ${resolve(import.meta.dirname, '../shift-clock.mjs')}`,
  CLOCK_AHEAD_MS: String(73 * 3600_000),
}
const LONG = 'apply the changes to all of the clusters in eu-west-1, and tell me what happened when you are done'
const WIDE = '部署所有的更改到生产环境 👩‍💻 部署所有的更改到生产环境部署所有的更改到生产环境'
const WRITES = { text: 'I will.', calls: [effect('tc_1', WIDE), effect('tc_2', 'two')] }
const TASK = { calls: [{ id: 'tc_9', name: 'run_command_task', args: { title: WIDE, command: 'true' } }] }

async function withRuns(): Promise<Project> {
  const files = { 'task.json': JSON.stringify([TASK, 'It is under way.']) }
  const project = await aProject({ script: [WRITES, 'Done.', 'Again.'], files })
  for (const input of [LONG, WIDE, 'be\u001b[2J\u202eware']) await project.holdpoint('--pause-on-approval', input)
  const { json } = await project.holdpoint('runs', '--json')
  await project.holdpoint('-c', json[0].run_id, '--approve-all')
  await project.holdpoint('-c', json[0].run_id, 'and now once more')
  return project
}

describe.skipIf(!HAS_TERMINAL)('at 80 columns', () => {
  test('neither a hold, an error nor a check of the audit log is broken within a word', async () => {
    await using project = await aProject({
      script: [{ calls: [effect('tc_1', 'one')] }],
      policy: { tools: { run_command: 'prompt' } },
    })
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const [{ id, digest }] = (await project.holdpoint('holds', '--json')).json
    const hold = await inTerminal(project, ['show', id])
    expect(hold.screen).toContain(`digest\n    ${digest}\n`)
    expect(hold.screen).toContain(
      `  # it does not run, and the agent is told why\n  holdpoint reject ${id} --reason TEXT\n`,
    )
    expect((await inTerminal(project, ['show', 'nope'])).screen).toContain(
      'task or\n    checkpoint, and no call that was held.\n',
    )
    const verified = await inTerminal(project, ['audit', 'verify'])
    expect(verified.screen).toContain('tells\n    later whether all up to it is there.\n')
  })
})

describe.skipIf(!HAS_TERMINAL)('in a terminal', () => {
  test('runs say what each was about, how it stands and what it waits for, and no line is too wide', async () => {
    await using project = await withRuns()
    const { screen } = await inTerminal(project, ['runs'], { env: LATER })
    expect(masked(screen)).toBe(
      [
        'RUN                   STATUS     WHEN     WAITS FOR      ABOUT',
        'run_xxxxxxxxxxxxxxxx  completed  3 d ago                 and now once more',
        'run_xxxxxxxxxxxxxxxx  completed  3 d ago                 be\\u{1b}[2J\\u{202e}ware',
        'run_xxxxxxxxxxxxxxxx  waiting    3 d ago  run_command*2  部署所有的更改到生产环…',
        'run_xxxxxxxxxxxxxxxx  waiting    3 d ago  run_command*2  apply the changes to a…',
        '',
      ].join('\n'),
    )
  })

  test.each([80, 120])('in %d columns no list breaks a line or cuts an id', async columns => {
    await using project = await withRuns()
    const { json } = await project.holdpoint('threads', '--json')
    const [{ hold_id }] = (await project.holdpoint('holds', '--json')).json
    await project.holdpoint('approve', hold_id, '--always', `deploys of ${WIDE}`, '--scope', 'project')
    await project.holdpoint('tokens', 'add', `the pipeline of ${WIDE}`, '--role', 'decider')
    await project.holdpoint('-a', '-t', 'run_command_task', '--model', 'script:task.json', 'go')
    const lists = [
      ...[['runs'], ['threads'], ['holds'], ['checkpoints', json[0].session_id], ['audit']],
      ...[['grants'], ['tokens'], ['tasks']],
    ]
    for (const list of lists) {
      const { exit, written } = await inTerminal(project, list, { columns, env: { NO_COLOR: '1' } })
      const lines = written.split('\n')
      expect(exit).toBe(0)
      expect(lines.filter(line => stringWidth(line) > columns)).toEqual([])
      expect(lines.slice(1, -1).filter(line => /\b(run|hold|cp|th|task|grant|token)_\w*…/.test(line))).toEqual([])
    }
  })

  test('the audit log tells who did what and when, without digests', async () => {
    await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'] })
    const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    await project.holdpoint('reject', json.pause_reason.pending_tool_calls[0].hold_id, '--reason', 'not on a Friday')
    const { screen } = await inTerminal(project, ['audit'], { env: LATER })
    expect(masked(screen)).toBe(
      [
        '1  3 d ago  run_xxxxxxxxxxxxxxxx',
        '  default started',
        '2  3 d ago  hold_xxxxxxxxxxxxxxxx  tc_1',
        '  default asks whether it may do “Run echo one >> effects.log”: default: prompt',
        '3  3 d ago  hold_xxxxxxxxxxxxxxxx  tc_1',
        '  ana saw “Run echo one >> effects.log”',
        '4  3 d ago  hold_xxxxxxxxxxxxxxxx  tc_1',
        '  ana rejected “Run echo one >> effects.log” for default: not on a Friday',
        '',
      ].join('\n'),
    )
  })

  test('a run that can go on and that no process works on is ready, later stuck, and the list says what goes on with it', async () => {
    await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'] })
    await project.holdpoint('--pause-on-approval', 'go')
    await project.holdpoint('approve', 'tc_1')
    const soon = await inTerminal(project, ['runs'])
    expect(masked(soon.screen)).toContain('run_xxxxxxxxxxxxxxxx  ready   default')
    expect(masked(soon.screen)).toContain(
      [
        'ready: no process works on it. A worker (`holdpoint work`) goes on with it, or',
        '`holdpoint -c RUN`.',
        '',
      ].join('\n'),
    )
    const { screen } = await inTerminal(project, ['runs'], { env: LATER })
    expect(masked(screen)).toBe(
      [
        'RUN                   STATUS  AGENT    WHEN     ABOUT',
        'run_xxxxxxxxxxxxxxxx  stuck   default  3 d ago  go',
        '',
        'stuck: run_xxxxxxxxxxxxxxxx: No process works on the runs of this store. Keep a',
        'worker or a server running, or resume the run. It resumes by',
        '`holdpoint -c run_xxxxxxxxxxxxxxxx`.',
        '',
      ].join('\n'),
    )
    const [{ run_id, status }] = (await project.holdpoint('runs', '--json')).json
    expect(status).toBe('running')
    expect((await project.holdpoint('show', run_id)).stdout).toContain(`${run_id}  ready  default`)
    expect((await project.holdpoint('-c', run_id)).exit).toBe(0)
  })

  test('holds tell their age in words, and of a long request how much is not shown', async () => {
    await using project = await withRuns()
    const { screen } = await inTerminal(project, ['holds', '--limit', '3'], { env: LATER })
    expect(masked(screen)).toMatch(/^HOLD +KIND +AGENT +TOOL +OPENED\nhold_x{16} {2}approval .* 3 d ago\n {2}Run echo /)
    expect(screen).toMatch(/… \+\d+ characters\n/)
  })
})

test('without a terminal runs and sessions are columns for awk: nothing cut, times as they are, no empty cell', async () => {
  await using project = await withRuns()
  const runs = (await project.holdpoint('runs')).stdout.trimEnd().split('\n')
  expect(runs[0]?.split(/ {2,}/)).toEqual([
    'RUN',
    'STATUS',
    'END',
    'OUTCOME',
    'AGENT',
    'UPDATED',
    'CHECKPOINT',
    'WAITS_FOR',
    'ABOUT',
  ])
  for (const line of runs) expect(line.split(/ {2,}/).length).toBe(9)
  expect(runs.map(line => line.split(/ {2,}/)[8]).slice(3)).toEqual([WIDE, LONG])
  const threads = (await project.holdpoint('threads')).stdout
  expect(threads).toContain('be\\u{1b}[2J\\u{202e}ware\n')
  expect(threads).not.toContain('once more')
})
