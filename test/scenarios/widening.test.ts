import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/index.ts'
import { aProject, effect, type Finished, type Project } from './project.ts'
import { advanced, aWorkplace, call, onlyHold } from './workplace.ts'

const SCRIPT = [{ calls: [effect('tc_1', 'one')] }, { calls: [effect('tc_2', 'two')] }, 'Done.']
const OPEN = { 'open.json': '{"default":"auto"}', 'agent.md': '---\nname: other\n---\nDo as you like.\n' }

/** A run of `ana` that waits for one of the deciders. */
async function aHeldRun(config: object = { deciders: ['ana'] }): Promise<{ project: Project; paused: Finished }> {
  const files = { ...OPEN, 'other.json': JSON.stringify(SCRIPT), 'sub/x': '' }
  const prices = { 'script:*': { input: 1, output: 1 } }
  const policy = { tools: { run_command: 'prompt' } }
  const project = await aProject({ script: SCRIPT, policy, config: { prices, ...config }, files })
  const paused = await project.holdpoint(
    '--pause-on-approval',
    '--max-steps',
    '9',
    '--budget',
    '9',
    '-t',
    'run_command',
    '-o',
    'json',
    'go',
  )
  expect(paused.exit).toBe(10)
  return { project, paused }
}

const as = (actor: string) => ({ env: { HOLDPOINT_ACTOR: actor } })

const WIDER: readonly (readonly [setting: string, ...flags: string[]])[] = [
  ['policy', '--policy', 'open.json'],
  ['agent', '--agent', 'agent.md'],
  ['model', '--model', 'script:other.json'],
  ['tools', '-t', 'run_command', '-t', 'write_file'],
  ['stop', '--max-steps', '10'],
  ['stop', '--budget', '10'],
  ['workdir', '-w', 'sub'],
  ['instructions', '--system-prompt-file', 'agent.md'],
]

describe('P1: a resume that widens', () => {
  test.each(WIDER)(
    'by another %s is refused to one who may not decide, and nothing is changed',
    async (setting, ...flags) => {
      const { project, paused } = await aHeldRun()
      await using _ = project
      const { checkpoint_id, session_id, run_id } = paused.json
      const before = await project.messages(session_id)
      const refused = await project.run(['-c', checkpoint_id, ...flags, '-o', 'json'], as('bob'))
      expect(refused).toMatchObject({
        exit: 2,
        json: {
          outcome: 'refused',
          error: { code: 'may_not_widen', hint: expect.stringContaining('ana') },
        },
      })
      expect(refused.json.error.message).toMatch(new RegExp(`bob may not change .*${setting}.* of run ${run_id}`))
      expect(await project.messages(session_id)).toEqual(before)
      expect((await project.holdpoint('audit', 'explain', run_id, '--json')).json.configured).toEqual([])
      const { stdout } = await project.holdpoint('audit', '--json')
      expect(stdout).toMatch(new RegExp(`"kind":"widening.refused".*"actor":"bob".*"settings":\\["${setting}`))
    },
  )

  test.each(WIDER)(
    'by another %s is carried out for one who may decide, and is on record',
    async (setting, ...flags) => {
      const { project, paused } = await aHeldRun()
      await using _ = project
      const { checkpoint_id, run_id } = paused.json
      const resumed = await project.run(['-c', checkpoint_id, '--approve', 'tc_1', ...flags, '-o', 'json'], as('ana'))
      expect(resumed.exit, resumed.stdout).not.toBe(2)
      const { json } = await project.holdpoint('audit', 'explain', run_id, '--json')
      expect(json.configured).toMatchObject([{ by: 'ana', surface: 'cli' }])
      expect(json.configured[0].changes).toContainEqual(expect.objectContaining({ setting, widens: true }))
      const { stdout } = await project.holdpoint('audit', 'explain', run_id)
      expect(stdout).toContain('settings changed by ana (cli)')
      expect(stdout).toMatch(new RegExp(`^  ${setting}.* became .*, which could let the run do more$`, 'm'))
      const audit = await project.holdpoint('audit', '--json')
      const records = audit.stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(records).toContainEqual(
        expect.objectContaining({ kind: 'run.configured', actor: 'ana', surface: 'cli', run_id }),
      )
      expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
    },
  )

  test('is refused in a fork, too', async () => {
    const { project, paused } = await aHeldRun()
    await using _ = project
    const fork = ['-c', paused.json.checkpoint_id, '--fork', '--policy', 'open.json', '-o', 'json']
    expect(await project.run(fork, as('bob'))).toMatchObject({ exit: 2, json: { error: { code: 'may_not_widen' } } })
    expect((await project.holdpoint('runs', '--json')).json).toHaveLength(1)
  })

  test('is refused where the next run of the session goes on after a limit', async () => {
    await using project = await aProject({ script: SCRIPT, config: { deciders: ['ana'] } })
    const stopped = await project.holdpoint('--max-steps', '1', '-o', 'json', 'go')
    const more = ['-c', stopped.json.checkpoint_id, '--max-steps', '5', '-o', 'json']
    expect(await project.run(more, as('bob'))).toMatchObject({ exit: 2, json: { error: { code: 'may_not_widen' } } })
    const done = await project.run(more, as('ana'))
    expect(done.exit).toBe(0)
    const { json } = await project.holdpoint('audit', 'explain', done.json.run_id, '--json')
    expect(json.configured).toMatchObject([{ by: 'ana', surface: 'cli', changes: [{ setting: 'stop', widens: true }] }])
    expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
  })

  test('is refused to the one who asked where another person must approve, and where several must', async () => {
    for (const deciders of [{ not_requester: true }, { people: ['ana', 'ben'], quorum: 2 }]) {
      const { project, paused } = await aHeldRun({ deciders })
      await using _ = project
      const opened = await project.run(
        ['-c', paused.json.checkpoint_id, '--policy', 'open.json', '-o', 'json'],
        as('ana'),
      )
      expect(opened).toMatchObject({ exit: 2, json: { error: { code: 'may_not_widen' } } })
    }
  })

  test('is refused to an agent, although everybody else may decide', async () => {
    const { project, paused } = await aHeldRun({})
    await using _ = project
    const open = ['-c', paused.json.checkpoint_id, '--policy', 'open.json', '--approve', 'tc_1', '-o', 'json']
    const within = { env: { HOLDPOINT_WITHIN: 'agent:lead/run_9' } }
    expect(await project.run(open, within)).toMatchObject({ exit: 2 })
    expect(await project.run(['-c', ...open.slice(1, 4), '-o', 'json'], within)).toMatchObject({
      json: { error: { code: 'may_not_widen' } },
    })
    expect((await project.run(open, as('bob'))).exit).toBe(0)
  })
})

const NARROWER: readonly (readonly [setting: string, ...flags: string[]])[] = [
  ['policy', '--policy', 'strict.json'],
  ['stop', '--max-steps', '8'],
  ['project'],
]

test.each(NARROWER)('everybody may narrow a run by its %s, and that is on record', async (setting, ...flags) => {
  const { project, paused } = await aHeldRun()
  await using _ = project
  await project.write('strict.json', '{"tools":{"run_command":"prompt","write_file":"never"}}')
  await using elsewhere = await aProject()
  const place = setting === 'project' ? { cwd: elsewhere.directory } : {}
  const store = ['--store', `sqlite:${project.path('.holdpoint/holdpoint.db')}`]
  await project.holdpoint('approve', paused.json.pause_reason.pending_tool_calls[0].hold_id)
  const resumed = await project.run(['-c', paused.json.checkpoint_id, ...flags, ...store, '-o', 'json'], {
    ...as('bob'),
    ...place,
  })
  expect(resumed).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  const { json } = await project.holdpoint('audit', 'explain', paused.json.run_id, '--json')
  expect(json.configured).toMatchObject([{ by: 'bob', surface: 'cli', changes: [{ setting, widens: false }] }])
})

describe('in the library', () => {
  const policy: Policy = { default: 'auto', tools: {}, rules: [], on_never: 'pause' }

  const aDeployer = () =>
    aWorkplace(place => ({
      script: [{ calls: [call('a', 'deploy', {})] }, 'Done.'],
      tools: [place.held('deploy', { deciders: ['tom'] })],
    }))

  test('P1: changes without a name, or by one whom a tool does not name, widen nothing', async () => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    await advanced(holdpoint, id)
    const before = await holdpoint.journal(thread_id)
    for (const who of [{}, { by: 'ana' }, { by: 'agent:worker' }])
      await expect(holdpoint.advance(id, { changes: { policy }, ...who })).rejects.toMatchObject({
        code: 'may_not_widen',
      })
    expect(await holdpoint.journal(thread_id)).toEqual(before)
    await holdpoint.advance(id, { changes: { policy }, by: 'tom', surface: 'desk' })
    expect((await holdpoint.journal(thread_id)).at(-2)).toMatchObject({
      kind: 'run.configured',
      data: { changes: { policy }, by: 'tom', surface: 'desk', widened: ['policy'] },
    })
  })

  test('P1: a decision that comes with a change that is refused, is not recorded', async () => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    await advanced(holdpoint, id)
    const hold = await onlyHold(holdpoint)
    const decisions = [{ hold_id: hold.id, verdict: 'approve', decided_by: 'tom', surface: 'test' }] as const
    await expect(holdpoint.advance(id, { decisions, changes: { policy } })).rejects.toMatchObject({
      code: 'may_not_widen',
    })
    expect(await holdpoint.hold(hold.id)).toEqual(hold)
  })

  test('a change that narrows needs no name', async () => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    await advanced(holdpoint, id)
    await holdpoint.advance(id, { changes: { tools: ['deploy'], max_concurrent_calls: 1 } })
    const { configured } = await holdpoint.audit.explain(id)
    expect(configured).toMatchObject([{ by: null, surface: 'code' }])
  })
})
