import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { aProject, command, type Project } from './project.ts'

const NOTES = resolve(import.meta.dirname, 'mcp/notes-server.mjs')
const notes = { command: process.execPath, args: [NOTES] }
const OFFER = JSON.stringify({ tools: [{ name: 'write', inputSchema: { type: 'object' } }] })
const MINE = '.config/holdpoint/config.json'
const asks = JSON.stringify([{ calls: [command('tc_1', 'echo one >> effects.log')] }, 'Done.'])

async function withMine(mine: unknown, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  return aProject({ files: { [MINE]: typeof mine === 'string' ? mine : JSON.stringify(mine), ...files } })
}

test("a user's own configuration sets the model and the pauses of runs in every project, with comments", async () => {
  await using project = await withMine('{ /* mine */ "model": "script:asks.json", "pause_on": ["approval"], }', {
    '.config/holdpoint/asks.json': asks,
  })
  const paused = await project.holdpoint('-o', 'json', 'hi')
  expect(paused).toMatchObject({ exit: 10, json: { pause_reason: { type: 'tool_approval_required' } } })
  // The settings of a run stay its own.
  await project.write(MINE, JSON.stringify({ model: 'openai/none' }))
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
})

test('what the project says stands, key by key', async () => {
  await using project = await withMine(
    { model: 'openai/none', pause_on: ['approval'], temperature: 1, max_output_tokens: 7 },
    {
      '.holdpoint/config.json': JSON.stringify({ model: 'script:asks.json', pause_on: [], temperature: 0 }),
      'asks.json': asks,
    },
  )
  const done = await project.holdpoint('-o', 'json', 'hi')
  expect(done).toMatchObject({ exit: 0 })
  const { json } = await project.holdpoint('show', done.json.run_id, '--json')
  expect(json.profile.model_settings).toEqual({ temperature: 0, max_output_tokens: 7 })
})

test("XDG_CONFIG_HOME says where a user's own configuration is", async () => {
  await using project = await aProject({
    files: {
      'x/holdpoint/config.json': JSON.stringify({ model: 'script:one.json' }),
      'x/holdpoint/one.json': '["X."]',
    },
  })
  const done = await project.run(['-o', 'json', 'hi'], { env: { XDG_CONFIG_HOME: project.path('x') } })
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'X.' } })
})

test('an agent of the user is found by its name, and needs no trust', async () => {
  const own = "export default { name: 'writer', model: 'script:script.json', instructions: 'You write.' }\n"
  await using project = await withMine(
    { agent: 'writer' },
    { '.config/holdpoint/agents/writer.mjs': own, 'script.json': '["Done."]' },
  )
  for (const args of [['hi'], ['--agent', 'writer', 'hi']])
    expect(await project.holdpoint('-o', 'json', ...args)).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
  await project.write('.holdpoint/agents/writer.md', '---\nname: of-the-project\nmodel: script:script.json\n---\n')
  const { json } = await project.holdpoint('-o', 'json', '--agent', 'writer', 'hi')
  expect((await project.holdpoint('show', json.run_id, '--json')).json.profile.agent).toBe('of-the-project')
})

test("servers of the user are started without trust, and the project's settings of the same name stand", async () => {
  const files = { 'offer.json': OFFER, 'script.json': '["Done."]' }
  await using project = await withMine({ model: 'openai/none', mcpServers: { notes } }, files)
  const args = ['--model', 'script:script.json', '-o', 'json', 'hi'] as const
  expect(await project.holdpoint(...args)).toMatchObject({ exit: 0 })
  expect(project.exists('starts.log')).toBe(true)

  await using without = await withMine({ mcpServers: { notes } }, files)
  await without.write('.holdpoint/config.json', JSON.stringify({ mcpServers: { notes: { ...notes, disabled: true } } }))
  expect(await without.holdpoint(...args)).toMatchObject({ exit: 0 })
  expect(without.exists('starts.log')).toBe(false)

  await using other = await withMine({ mcpServers: { notes } }, files)
  await other.write('.holdpoint/config.json', JSON.stringify({ mcpServers: { more: notes } }))
  const { json } = await other.holdpoint('trust', '--yes', '--json')
  expect(json.starts).toEqual([expect.stringContaining('MCP server more')])
})

test.each([
  ['a key that is not known', { modell: 'x' }, 'modell: known keys are'],
  ['who decides', { deciders: ['ana'] }, 'deciders: only a project may set this'],
  ['a deadline', { due: { seconds: 1 } }, 'due: only a project may set this'],
  ['a store', { store: 'sqlite:x.db' }, 'store: only a project may set this'],
  ['a value that does not fit', { temperature: 7 }, 'temperature'],
  ['no object', [], 'must be an object'],
])("%s in a user's own configuration is refused, and the file is named", async (_what, mine, problem) => {
  await using project = await withMine(mine, { 'script.json': '["Done."]' })
  const { exit, json } = await project.holdpoint('--model', 'script:script.json', '-o', 'json', 'hi')
  expect(exit).toBe(2)
  expect(json.error).toMatchObject({ code: 'invalid_config', message: expect.stringContaining(problem) })
  expect(json.error.message).toContain(project.path(MINE))
})

test.each(['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'NODE_COMPILE_CACHE', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME'])(
  'a %s that is a file stops no command that can do without it, and is told by one that cannot',
  async name => {
    await using project = await aProject({
      script: ['Done.'],
      config: { mcpServers: { notes: { command: 'true' } } },
      files: { plain: '' },
    })
    const env = { [name]: project.path('plain') }
    for (const words of [
      ['runs', '--json'],
      ['doctor', '--offline', '--json'],
      ['trust', '--yes', '--json'],
      ['init', '--json'],
    ]) {
      const { stdout, stderr } = await project.run(words, { env })
      expect({ document: JSON.parse(stdout), stderr }, words.join(' ')).toMatchObject({ stderr: '' })
      expect(stdout, words.join(' ')).not.toContain('internal_error')
    }
    const run = await project.run(['-ojson', '-t', 'run_command', 'go'], { env })
    expect(run.json.outcome, run.stdout).toMatch(/^(completed|refused)$/)
    expect((await project.run(['--help'], { env })).exit).toBe(0)
  },
)
