import { execFile, execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { validateJson } from '../../src/tools/define/json-schema.ts'
import { aProject, CLI, command, type Project } from './project.ts'

/** Runs a line of shell as a person would paste it. */
async function pasted(project: Project, line: string): Promise<{ exit: number; stdout: string }> {
  const env = { ...project.environment }
  const shell = `holdpoint() { ${process.execPath} ${CLI} "$@"; }\n${line}`
  return promisify(execFile)('sh', ['-c', shell], { cwd: project.directory, env }).then(
    ({ stdout }) => ({ exit: 0, stdout }),
    (failed: { code: number; stdout: string }) => ({ exit: failed.code, stdout: failed.stdout }),
  )
}

const WRITTEN = ['config.json', 'policy.json', 'agents/assistant.md', 'agents/assistant.yaml']

test('init writes a configuration, a policy and an agent, and the command that it names pauses without a key', async () => {
  await using project = await aProject()
  const made = await project.holdpoint('init', '--json')
  expect(made).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'initialized' } })
  expect(made.json.files).toEqual(WRITTEN.map(path => ({ path: project.path('.holdpoint', path), status: 'written' })))
  const paused = await pasted(project, `${made.json.next} -o json`)
  expect(paused.exit).toBe(10)
  const { checkpoint_id, pause_reason } = JSON.parse(paused.stdout)
  expect(pause_reason).toMatchObject({ type: 'tool_approval_required', pending_tool_calls: [{ name: 'run_command' }] })
  const done = await project.holdpoint('-c', checkpoint_id, '--approve', 'tc_2')
  expect(done).toMatchObject({ exit: 0, stdout: 'The greeting is in hello.txt.\n' })
  expect(await project.read('hello.txt')).toBe('hello\n')
})

test('the agent of init plays without a key, from anywhere below, and uses a tool that needs nobody first', async () => {
  await using project = await aProject({ files: { 'src/notes.txt': '' } })
  await project.holdpoint('init', 'deployer')
  const cwd = project.path('src')
  const paused = await project.run(['-a', '-o', 'json', 'Hello.'], { cwd })
  expect(paused).toMatchObject({ exit: 10, stderr: '' })
  const { messages } = (await project.run(['threads', 'show', paused.json.session_id, '--json'], { cwd })).json
  expect(JSON.stringify(messages)).toContain('notes.txt')
  const done = await project.run(['-c', paused.json.checkpoint_id, '--approve', 'tc_2'], { cwd })
  expect(done).toMatchObject({ exit: 0, stdout: 'The greeting is in hello.txt.\n' })
})

test('if the agent is there already, the command that init names brings the script', async () => {
  await using project = await aProject({ files: { '.holdpoint/agents/assistant.md': 'Help.' } })
  const { json } = await project.holdpoint('init', '--json')
  expect(json.next).toBe("holdpoint --model script:.holdpoint/agents/assistant.yaml 'Write a greeting.'")
  expect(await pasted(project, `${json.next} -o json`)).toMatchObject({ exit: 10 })
})

test('a script of init is shared with the project, as its agent is', async () => {
  await using project = await aProject()
  execFileSync('git', ['init', '-q'], { cwd: project.directory })
  await project.holdpoint('init')
  const seen = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: project.directory, encoding: 'utf8' })
  expect(seen).toContain('.holdpoint/agents/assistant.yaml')
})

test('what init writes fits its schemas, and its policy rules as its comments say', async () => {
  await using project = await aProject()
  await project.holdpoint('init')
  for (const name of ['config', 'policy']) {
    const schema = JSON.parse(await readFile(resolve(import.meta.dirname, `../../schemas/${name}.schema.json`), 'utf8'))
    const document = parse(await project.read('.holdpoint', `${name}.json`))
    expect(await validateJson(schema, document, name)).toMatchObject({ ok: true })
  }
  const ruling = async (text: string) => (await project.holdpoint('policy', 'check', text, '--json')).json.policy
  expect(await ruling('git status --short')).toBe('auto')
  expect(['box', 'prompt']).toContain(await ruling('make'))
  expect(await ruling('git push origin main --force')).toBe('never')
  expect(await ruling('sudo make install')).toBe('never')
})

test('init writes rules on effects for what is in the project', async () => {
  const files = {
    'package.json': '{"scripts": {"test": "vitest"}}',
    'package-lock.json': '{}',
    '.gitignore': 'node_modules\n/dist/\n',
    'src/index.ts': '',
    'packages/core/src/a.ts': '',
    'README.md': '',
  }
  await using project = await aProject({ files })
  await project.holdpoint('init')
  const { tools, effects } = parse(await project.read('.holdpoint/policy.json'))
  expect(tools.run_command).toBe('box')
  expect(effects).toMatchObject({ hosts: [], git: 'commit' })
  const { write, delete: deleted, never } = effects
  expect(write).toEqual(
    expect.arrayContaining(['/src/**', '/packages/**', '/README.md', '/package-lock.json', '/dist/**']),
  )
  expect(write).not.toContain('/test/**')
  expect(deleted).toEqual(expect.arrayContaining(['/dist/**', '/packages/*/dist/**', '/node_modules/.vite/**']))
  expect(deleted).not.toContain('/src/**')
  expect(never).toEqual(
    expect.arrayContaining(['.env', '.env.*', '!.env.example', '*.pem', 'id_rsa*', '.git/hooks/**']),
  )
})

test('init never writes over a file, and a second time writes what is missing', async () => {
  await using project = await aProject({ policy: { default: 'never' } })
  const first = (await project.holdpoint('init', 'deployer', '--json')).json
  const statuses = (files: { path: string; status: string }[]) => files.map(({ status }) => status)
  expect(statuses(first.files)).toEqual(['written', 'kept', 'written', 'written'])
  expect(JSON.parse(await project.read('.holdpoint/policy.json'))).toEqual({ default: 'never' })
  await project.write('.holdpoint/agents/deployer.md', 'Mine.')
  const again = (await project.holdpoint('init', 'other', '--json')).json
  expect(statuses(again.files)).toEqual(['kept', 'kept', 'written', 'written'])
  expect(await project.read('.holdpoint/agents/deployer.md')).toBe('Mine.')
  expect(again.next).toContain('--agent other')
})

test('with a key of a provider in the environment, init chooses a model of it and needs no script', async () => {
  await using project = await aProject({ env: { OPENAI_API_KEY: 'sk-test-not-real' } })
  const { json } = await project.holdpoint('init', '--json')
  expect(json.next).toBe("holdpoint 'Run the command date > date.txt.'")
  expect(project.exists('.holdpoint/agents/assistant.yaml')).toBe(false)
  expect(await project.read('.holdpoint/agents/assistant.md')).not.toMatch(/^model:/m)
  expect(parse(await project.read('.holdpoint/config.json')).model).toMatch(/^openai\//)
  expect(JSON.stringify(json)).not.toContain('sk-test')
})

test('init sets up the directory in which it is started, also below another project', async () => {
  await using project = await aProject({ config: {}, files: { 'sub/file': '' } })
  await project.run(['init'], { cwd: project.path('sub') })
  expect(project.exists('sub/.holdpoint/config.json')).toBe(true)
  expect(project.exists('.holdpoint/agents')).toBe(false)
})

test.each([['a b'], ['../x'], ['x.md'], ['']])(
  'init refuses %j as the name of an agent, and writes nothing',
  async name => {
    await using project = await aProject()
    const refused = await project.holdpoint('init', name, '--json')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_arguments' } } })
    expect(project.exists('.holdpoint')).toBe(false)
  },
)

test('P1: no agent sets up a project', async () => {
  const init = `${process.execPath} ${CLI} init --json > out.json`
  await using project = await aProject({ script: [{ calls: [command('t1', init)] }, 'Done.'] })
  await project.holdpoint('go')
  expect(JSON.parse(await project.read('out.json'))).toMatchObject({ error: { code: 'agent_cannot_init' } })
  expect(project.exists('.holdpoint/policy.json')).toBe(false)
})
