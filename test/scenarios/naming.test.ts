/** Things are named as people name them: by what was printed, by its beginning, or as the last one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from './project.ts'
import { HAS_TERMINAL, inTerminal } from './terminal/pseudo-terminal.ts'

const ONE = { text: 'I will do it.', calls: [effect('tc_1', 'one')] }
const START = ['--pause-on-approval', '-o', 'json']

describe('where one run waits', () => {
  let project: Project
  // biome-ignore lint/suspicious/noExplicitAny: a document
  let paused: any
  let hold: string
  beforeAll(async () => {
    project = await aProject({ script: [ONE, 'Done.'] })
    paused = (await project.holdpoint(...START, 'go')).json
    hold = paused.pause_reason.pending_tool_calls[0].hold_id
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('show takes what approve takes: the id of a hold, or of its call', async () => {
    const byId = await project.holdpoint('show', hold, '--json')
    expect((await project.holdpoint('show', 'tc_1', '--json')).json.id).toBe(byId.json.id)
    expect((await project.holdpoint('show', 'tc_1')).stdout).toContain('holdpoint approve')
  })

  test('a run and a checkpoint are shown for people, and as JSON with --json', async () => {
    for (const id of [paused.run_id, paused.checkpoint_id]) {
      const { exit, stdout } = await project.holdpoint('show', id)
      expect(exit).toBe(0)
      expect(stdout).toMatch(new RegExp(`^${paused.run_id}  waiting  `))
      expect(stdout).not.toMatch(/^\{/)
      expect(stdout).toContain('    I will do it.')
      expect(stdout).toContain(hold)
      expect(stdout).toContain(paused.session_id)
      expect((await project.holdpoint('show', id, '--json')).json.run_id).toBe(paused.run_id)
    }
    expect((await project.holdpoint('show', paused.run_id)).stdout).toContain(paused.resume_hint)
  })

  test.each([
    ['a hold', () => ['show', hold.slice(0, 10), '--json']],
    ['a run', () => ['show', paused.run_id.slice(0, 9), '--json']],
    ['a session', () => ['threads', 'show', paused.session_id.slice(0, 8), '--json']],
    ['a session for its checkpoints', () => ['checkpoints', paused.session_id.slice(0, 8), '--json']],
    ['a checkpoint', () => ['show', paused.checkpoint_id.slice(0, 23), '--json']],
    ['a long checkpoint', () => ['show', paused.checkpoint_id.slice(0, -1), '--json']],
    ['a run in a filter', () => ['holds', '--run', paused.run_id.slice(0, 9), '--json']],
    ['a run to explain', () => ['audit', 'explain', paused.run_id.slice(0, 9), '--json']],
  ])('the beginning of the id of %s is enough', async (_, args) => {
    const { exit, stdout } = await project.holdpoint(...args())
    expect(exit).toBe(0)
    expect(stdout.length).toBeGreaterThan(3)
  })

  test('approve alone decides nothing where there is no terminal, and names the hold', async () => {
    const refused = await project.holdpoint('approve', '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_arguments' } } })
    expect(refused.json.error.hint).toContain(hold)
    expect(await project.effects()).toEqual([])
  })

  test('less than four letters are no name, and the id that begins so is told', async () => {
    const short = ['show', 'approve'].flatMap(command => [
      [command, hold.slice(0, 8)],
      [command, 'hold_'],
    ])
    for (const words of short) {
      const refused = await project.holdpoint(...words, '-o', 'json')
      expect(refused).toMatchObject({
        exit: 2,
        json: { error: { code: 'ambiguous_id', hint: expect.stringContaining(hold) } },
      })
      expect(refused.json.error.message).toContain('too short')
    }
  })

  test('a call that nothing waits for is refused with what waits', async () => {
    const refused = await project.holdpoint('approve', 'tc_3', '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'unknown_hold' } } })
    expect(refused.json.error.hint).toContain(`Open here: ${hold} (tc_1 run_command).`)
  })
})

test('beginnings that fit several ids are refused, and listed', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const { json } = await project.holdpoint('-o', 'json', 'go')
  // Two checkpoints of one session begin alike.
  await project.holdpoint('-c', json.checkpoint_id, '-o', 'json', 'more')
  const refused = await project.holdpoint('show', json.checkpoint_id.slice(0, 12), '-o', 'json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'ambiguous_id' } } })
  expect(refused.json.error.hint).toContain(json.checkpoint_id)
})

test.each([
  ['show', 'run_'],
  ['cancel', 'run_'],
  ['-c', 'run_'],
  ['-c', 'cp_'],
])('%s %s tells that it is too short, and which ids begin so', async (...words) => {
  await using project = await aProject({ script: ['Done.'] })
  const { json } = await project.holdpoint('-o', 'json', 'go')
  const refused = await project.holdpoint(...words, '-o', 'json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'ambiguous_id' } } })
  expect(refused.json.error.message).toContain('too short')
  expect(refused.json.error.hint).toContain(words[1] === 'cp_' ? json.checkpoint_id : json.run_id)
})

test('the beginning of a hold decides it', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'] })
  const { json } = await project.holdpoint(...START, 'go')
  const [{ hold_id }] = json.pause_reason.pending_tool_calls
  expect((await project.holdpoint('approve', hold_id.slice(0, 12), '--advance')).exit).toBe(0)
  expect(await project.effects()).toEqual(['one'])
})

test.each([
  ['last', () => 'last'],
  ['its session', ({ session_id }: Ids) => session_id],
  ['its run', ({ run_id }: Ids) => run_id],
  ['the beginning of its run', ({ run_id }: Ids) => run_id.slice(0, 10)],
  ['the beginning of its checkpoint', ({ checkpoint_id }: Ids) => checkpoint_id.slice(0, 23)],
])('a run goes on by %s', async (_, name) => {
  await using project = await aProject({ script: [ONE, 'Done.', 'And more.'] })
  const { json } = await project.holdpoint(...START, 'go')
  expect((await project.holdpoint('-c', name(json), '--approve', 'tc_1')).exit).toBe(0)
  expect(await project.effects()).toEqual(['one'])
})

interface Ids {
  readonly session_id: string
  readonly run_id: string
  readonly checkpoint_id: string
}

test('-c SESSION and -c RUN go on with the conversation', async () => {
  await using project = await aProject({ script: ['One.', 'Two.', 'Three.'] })
  const { json } = await project.holdpoint('-o', 'json', 'go')
  expect((await project.holdpoint('-c', json.session_id, 'more')).stdout).toBe('Two.\n')
  expect((await project.holdpoint('-c', 'last', 'more')).stdout).toBe('Three.\n')
})

test('P1: where several runs wait, a decision for the last one is refused', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'] })
  await project.holdpoint(...START, 'go')
  await project.holdpoint(...START, 'go')
  for (const say of [['--approve', 'tc_1'], ['--approve-all'], ['yes']]) {
    const refused = await project.holdpoint('-c', 'last', ...say, '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'ambiguous_id' } } })
  }
  expect((await project.holdpoint('-c', 'last', '-o', 'json')).exit).toBe(10)
  expect(await project.effects()).toEqual([])
})

test.each([['last'], ['run_0000000000000000'], ['th_0000000000000000']])('-c %s of nothing is refused', async name => {
  await using project = await aProject({ script: ['Done.'] })
  await project.holdpoint('-a', 'go')
  const refused = await project.holdpoint('-c', name === 'last' ? 'lost' : name, '-o', 'json', 'more')
  expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused' } })
})

test('approve alone with nothing or several to approve is refused', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'] })
  await project.holdpoint('-a', 'go')
  expect((await project.holdpoint('approve', '--json')).json.error.code).toBe('nothing_to_decide')
  await project.holdpoint(...START, 'go')
  await project.holdpoint(...START, 'go')
  expect((await project.holdpoint('approve', '--json')).json.error.hint).toContain('2 wait')
})

describe.skipIf(!HAS_TERMINAL)('in a terminal', () => {
  const ASKED = 'y, n, edit or later? '

  test.each([
    ['approve\r', 0, 'decided', 'approve'],
    ['reject too early\r', 0, 'decided', 'reject'],
    ['later\r', 10, 'open', undefined],
    ['\u0004', 10, 'open', undefined],
  ])('P9: approve alone shows the one hold and asks as a run does, and %j is a reply', async (keys, exit, ...left) => {
    await using project = await aProject({ script: [ONE, 'Done.'] })
    await project.holdpoint(...START, 'go')
    const shown = await inTerminal(project, ['approve', '--reason', 'fine'], { keys: [[ASKED, keys]] })
    expect(shown.exit).toBe(exit)
    expect(shown.screen).toContain('echo one >> effects.log')
    const [hold] = (await project.holdpoint('holds', '--status', 'all', '--json')).json
    expect([hold.status, hold.decision?.verdict]).toEqual(left)
    const reasons = { approve: 'fine', reject: 'too early' }
    expect(hold.decision?.reason).toBe(reasons[hold.decision?.verdict as 'approve'])
  })

  test('approve alone goes on with the run if it is told to', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'] })
    await project.holdpoint(...START, 'go')
    const { exit, screen } = await inTerminal(project, ['approve', '--advance'], { keys: [[ASKED, 'yes\r']] })
    expect([exit, await project.effects()]).toEqual([0, ['one']])
    expect(screen).toContain('Done.')
  })
})
