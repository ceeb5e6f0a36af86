/** Files of a project as instructions: read when a run starts, kept by it, and never more than text. */
import { mkdir, symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openOpenAiServer } from '../../src/testing/index.ts'
import type { ModelServer, ModelServerOptions } from '../../src/testing/servers/model-server.ts'
import { aProject, command, type Project, type ProjectOptions } from './project.ts'

const HEAD = '# Instructions of the project, from '

interface Stage extends AsyncDisposable {
  readonly server: ModelServer
  readonly project: Project
}

async function aStage(turns: ModelServerOptions['turns'], options: ProjectOptions = {}): Promise<Stage> {
  const server = await openOpenAiServer({ turns })
  const project = await aProject({
    policy: { tools: { run_command: 'prompt' } },
    ...options,
    env: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test', HOLDPOINT_MODEL: 'openai/gpt-test' },
  })
  const close = async () => {
    await project[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return { server, project, [Symbol.asyncDispose]: close }
}

/** The system prompt of each request. */
const prompts = ({ server }: Stage): string[] =>
  server.requests.map(({ body }) => (body.messages as { role: string; content: string }[])[0]?.content ?? '')

const start = (project: Project, ...more: string[]) => project.holdpoint('-a', '-o', 'json', ...more, 'go')

test('AGENTS.md and CLAUDE.md are told to the model and named in the document of the run', async () => {
  const files = { 'AGENTS.md': 'Use tabs.\n', 'CLAUDE.md': 'Say please.\n' }
  await using stage = await aStage(['Done.'], { files })
  const { project } = stage
  const done = await start(project)
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { instructions_files: ['AGENTS.md', 'CLAUDE.md'] } })
  expect(prompts(stage)[0]).toContain(`\n\n${HEAD}AGENTS.md\n\nUse tabs.\n\n${HEAD}CLAUDE.md\n\nSay please.`)
  const { json: shown } = await project.holdpoint('show', done.json.run_id, '--json')
  expect(shown.profile.project_instructions).toMatchObject({
    names: ['AGENTS.md', 'CLAUDE.md'],
    files: [{ path: 'AGENTS.md', bytes: 10, digest: expect.stringMatching(/^sha256:/), text: 'Use tabs.\n' }, {}],
  })
})

test('a run keeps what it read, a resume tells what changed, and the next run reads it anew', async () => {
  await using stage = await aStage([{ calls: [command('tc_1', 'true')] }, 'Done.', 'Again.'], {
    files: { 'AGENTS.md': 'Use tabs.\n' },
  })
  const { project } = stage
  const paused = await start(project, '--pause-on-approval')
  await project.write('AGENTS.md', 'Use spaces.\n')
  const resumed = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(resumed).toMatchObject({
    exit: 0,
    json: { warnings: [{ code: 'instructions_changed', files: ['AGENTS.md'] }] },
  })
  const next = await project.holdpoint('-c', resumed.json.checkpoint_id, '-o', 'json', 'and now?')
  expect(next).toMatchObject({ exit: 0, json: { final_message: 'Again.' } })
  expect(next.json.warnings).toBe(undefined)
  expect(prompts(stage).map(prompt => prompt.split('\n').at(-1))).toEqual(['Use tabs.', 'Use tabs.', 'Use spaces.'])
})

test('a link within the project is followed, and one that leads out of it is told and not read', async () => {
  await using outside = await aProject({ files: { 'secret.md': 'a secret' } })
  await using stage = await aStage(['Done.'], { files: { 'docs/rules.md': 'Use tabs.' } })
  const { project } = stage
  await symlink('docs/rules.md', project.path('AGENTS.md'))
  await symlink(outside.path('secret.md'), project.path('CLAUDE.md'))
  expect((await start(project)).json).toMatchObject({
    instructions_files: ['AGENTS.md'],
    warnings: [{ code: 'instructions_left_out', files: ['CLAUDE.md'], message: expect.stringContaining('leads to') }],
  })
  expect(prompts(stage)[0]).toContain('Use tabs.')
  expect(prompts(stage)[0]).not.toContain('a secret')
  const doctor = await project.holdpoint('doctor', '--json', '--offline')
  expect(doctor.json.checks).toContainEqual(
    expect.objectContaining({ check: 'instructions', status: 'ok', message: 'of the project: AGENTS.md' }),
  )
  expect(doctor.json.checks).toContainEqual(expect.objectContaining({ check: 'instructions', status: 'warn' }))
})

test('a file is read once under two names, and cut with a line that says so', async () => {
  await using stage = await aStage(['Done.'], { files: { 'AGENTS.md': 'ä'.repeat(20_000) } })
  await symlink('AGENTS.md', stage.project.path('CLAUDE.md'))
  expect((await start(stage.project)).json.instructions_files).toEqual(['AGENTS.md'])
  const [prompt = ''] = prompts(stage)
  expect(prompt).toMatch(/[^ä]ä{16384}\n\n\[AGENTS\.md is cut here: it has 40000 bytes\]$/)
})

test('the nearest file counts, up to the directory of the project', async () => {
  await using stage = await aStage(['Done.'], { files: { 'AGENTS.md': 'Of all.', 'CLAUDE.md': 'For all.' } })
  const { project } = stage
  await project.write('shop/src/AGENTS.md', 'Of the shop.')
  await mkdir(project.path('.git'))
  const done = await project.run(['-a', '-o', 'json', 'go'], { cwd: project.path('shop/src') })
  expect(done.json.instructions_files).toEqual(['AGENTS.md', '../../CLAUDE.md'])
  expect(prompts(stage)[0]).not.toContain('Of all.')
})

test('the setting names other files, [] none, and no place outside the project', async () => {
  const files = { 'AGENTS.md': 'Use tabs.', 'docs/house.md': 'Use spaces.' }
  await using stage = await aStage(['One.', 'Two.'], { files })
  const { project } = stage
  const configured = async (instructions_files: unknown) => {
    await project.write('.holdpoint/config.json', JSON.stringify({ instructions_files }))
    return start(project)
  }
  expect((await configured(['docs/house.md'])).json.instructions_files).toEqual(['docs/house.md'])
  expect((await configured([])).json).not.toHaveProperty('instructions_files')
  for (const odd of [
    'AGENTS.md',
    ['../AGENTS.md'],
    ['/etc/passwd'],
    ['~/x'],
    ['a/../../b'],
    [''],
    [3],
    [null],
    ['C:\\x'],
  ])
    expect(await configured(odd)).toMatchObject({ exit: 2, json: { error: { code: 'invalid_config' } } })
  expect(prompts(stage)).toHaveLength(2)
})

test('what is no text is told, and ends no run', async () => {
  await using stage = await aStage(['Done.'], { files: { 'AGENTS.md': 'a\0b' } })
  await mkdir(stage.project.path('CLAUDE.md'))
  const done = await start(stage.project)
  const directory = { files: ['CLAUDE.md'], message: 'CLAUDE.md is not read as instructions: it is a directory.' }
  expect(done).toMatchObject({ exit: 0, json: { warnings: [{ files: ['AGENTS.md'] }, directory] } })
})

test('a sub-agent and an agent in the background read them, too', async () => {
  const task = { id: 'tc_1', name: 'subagent_task', args: { prompt: 'look', instructions: 'Be a child.' } }
  await using stage = await aStage([{ calls: [task] }, 'One.', 'Two.', 'Three.'], {
    files: { 'AGENTS.md': 'Use tabs.' },
  })
  const { project } = stage
  expect(await start(project, '-t', 'subagent_task')).toMatchObject({ exit: 0 })
  const [{ task_id }] = (await project.holdpoint('tasks', '--json')).json
  expect(await project.holdpoint('tasks', 'wait', task_id)).toMatchObject({ exit: 0 })
  const before = prompts(stage)
  expect(before.some(prompt => prompt.startsWith('Be a child.'))).toBe(true)
  expect(await project.holdpoint('agents', 'spawn', '--wait', 'look')).toMatchObject({ exit: 0 })
  expect(prompts(stage).length).toBeGreaterThan(before.length)
  expect(prompts(stage).filter(prompt => !prompt.endsWith('Use tabs.'))).toEqual([])
})
