/** The store and the settings of a project are found from below it, as git finds its own. */
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { aProject, effect, type Project } from './project.ts'

const ONE = { text: 'I will do it.', calls: [effect('tc_1', 'one')] }

async function below(project: Project): Promise<(...args: string[]) => ReturnType<Project['run']>> {
  const cwd = project.path('src/deep')
  await mkdir(cwd, { recursive: true })
  return (...args) => project.run(args, { cwd })
}

test('a run that started in a project is seen, decided and gone on with from below it', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'] })
  const paused = await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')
  const inside = await below(project)
  expect((await inside('holds', '--json')).json).toHaveLength(1)
  expect((await inside('runs', '--json')).json).toHaveLength(1)
  expect((await inside('-c', paused.json.checkpoint_id, '--approve', 'tc_1')).exit).toBe(0)
  expect(await project.effects()).toEqual(['one'])
  expect(project.exists('src/deep/.holdpoint')).toBe(false)
})

test('a run that starts below a project belongs to it, and works where it was started', async () => {
  await using project = await aProject({
    script: [ONE, 'Done.'],
    config: { model: 'script:script.json', pause_on: ['approval'] },
    env: { HOLDPOINT_MODEL: '' },
  })
  const inside = await below(project)
  const paused = await inside('-o', 'json', 'go')
  expect(paused).toMatchObject({ exit: 10, json: { outcome: 'paused' } })
  expect(paused.json.resume_hint).not.toContain('--store')
  expect(project.exists('.holdpoint/session/pause.json')).toBe(true)
  expect(project.exists('src/deep/.holdpoint')).toBe(false)
  expect((await project.holdpoint('approve', 'tc_1', '--advance')).exit).toBe(0)
  expect(project.exists('src/deep/effects.log')).toBe(true)
})

test('P1: paths in the policy of a project are those of the project, also below it', async () => {
  const write = { id: 'tc_1', name: 'write_file', args: { path: 'key.txt', content: 'x' } }
  const rules = [{ tool: 'write_file', match: { path: 'secrets/*' }, policy: 'never' }]
  await using project = await aProject({ script: [{ calls: [write] }, 'Done.'], policy: { default: 'auto', rules } })
  await mkdir(project.path('secrets'))
  const script = { HOLDPOINT_MODEL: `script:${project.path('script.json')}` }
  await project.run(['-a', 'go'], { cwd: project.path('secrets'), env: script })
  expect(project.exists('secrets/key.txt')).toBe(false)
  const asked = ['policy', 'check', '--tool', 'write_file', '--arguments', '{"path":"key.txt","content":"x"}', '--json']
  expect((await project.run(asked, { cwd: project.path('secrets') })).json.policy).toBe('never')
})

test('flags name files from where the command was started', async () => {
  await using project = await aProject({ script: ['Done.'], files: { 'src/deep/own.json': '{"default":"auto"}' } })
  const inside = await below(project)
  await project.holdpoint('go')
  expect((await inside('--model', 'script:../../script.json', '--policy', 'own.json', 'go')).exit).toBe(0)
})

test.each([['holds'], ['runs'], ['tasks'], ['threads'], ['grants'], ['audit'], ['check-pending'], ['show', 'run_1']])(
  '%s where there is no store says so, and makes none',
  async (...args) => {
    await using project = await aProject()
    const refused = await project.holdpoint(...args, '--json')
    expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code: 'no_store' } } })
    expect(refused.json.error.message).toContain('no store here')
    expect(project.exists('.holdpoint')).toBe(false)
  },
)

test('threads list shows each session once, as its newest run stands, newest first', async () => {
  await using project = await aProject({ script: [ONE, 'Two.', 'Three.'] })
  const first = (await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')).json
  await project.holdpoint('-c', first.checkpoint_id, '--approve', 'tc_1')
  await project.holdpoint('-c', 'last', 'more')
  const second = (await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')).json
  const { json } = await project.holdpoint('threads', 'list', '--json')
  expect(json).toMatchObject([
    { session_id: second.session_id, run_id: second.run_id, status: 'waiting' },
    { session_id: first.session_id, status: 'done' },
  ])
  const { stdout } = await project.holdpoint('threads', '--limit', '1')
  expect(stdout).toContain(second.session_id)
  expect(stdout).not.toContain(first.session_id)
})

test('work deletes what is older than the retention of the project, and nothing that waits', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'], config: { retention: { days: 1 } } })
  const done = (await project.holdpoint('-o', 'json', 'go')).json
  const waiting = (await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')).json
  expect((await project.holdpoint('work', '--once')).exit).toBe(0)
  expect((await project.holdpoint('runs', '--json')).json).toHaveLength(2)
  const later = {
    node: ['--import', resolve(import.meta.dirname, 'shift-clock.mjs')],
    env: { CLOCK_AHEAD_MS: String(3 * 86_400_000) },
  }
  const { exit, stdout } = await project.run(['work', '--once', '--json'], later)
  expect(exit).toBe(0)
  expect(stdout).toContain('"kind":"store.pruned"')
  const left = (await project.holdpoint('runs', '--json')).json.map(({ run_id }: { run_id: string }) => run_id)
  expect(left).toEqual([waiting.run_id])
  expect(left).not.toContain(done.run_id)
})

test.each([[{ days: 0 }], [{ days: 1.5 }], [30], [{}], [{ days: 3, weeks: 1 }]])(
  'a retention of %j is refused',
  async retention => {
    await using project = await aProject({ script: ['Done.'], config: { retention } })
    const refused = await project.holdpoint('-o', 'json', 'go')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_config' } } })
  },
)
