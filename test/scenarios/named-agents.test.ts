import { expect, test } from 'vitest'
import { aProject, command } from './project.ts'

const markdown = (says: string) => `---\nmodel: script:script.json\n---\n${says}\n`
const loaded = (name: string) =>
  `import { writeFileSync } from 'node:fs'\nwriteFileSync('loaded', '')\nexport default { name: '${name}', model: 'script:script.json' }\n`
const script = JSON.stringify(['Done.'])

async function aTeam(files: Readonly<Record<string, string>> = {}) {
  return aProject({ files: { 'script.json': script, ...files } })
}

test('an agent is found by its name, from every directory of its project', async () => {
  await using project = await aTeam({
    '.holdpoint/agents/support.md': markdown('You help customers.'),
    'deep/er/file': '',
  })
  const first = await project.holdpoint('--agent', 'support', '-o', 'json', 'hi')
  expect(first).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
  const deep = { cwd: project.path('deep/er') }
  await project.write('deep/er/script.json', script)
  const below = await project.run(['--agent', 'support', '-o', 'json', 'hi'], deep)
  expect(below).toMatchObject({ exit: 0 })
  const { json } = await project.holdpoint('threads', 'show', below.json.session_id, '--json')
  expect(json.system).toBe('You help customers.')
  const pending = await project.run(['check-pending', '--agent', 'support', '--json'], deep)
  expect(pending).toMatchObject({ exit: 0, json: [] })
})

test('the configuration may name an agent, and a resume goes on with the file that was found', async () => {
  const asks = JSON.stringify([{ calls: [command('tc_1', 'echo one >> effects.log')] }, 'Done.'])
  await using project = await aTeam({
    '.holdpoint/config.json': JSON.stringify({ agent: 'support' }),
    '.holdpoint/agents/support.md': markdown('You help customers.'),
    'script.json': asks,
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'hi')
  expect(paused.exit).toBe(10)
  await project.write('.holdpoint/config.json', JSON.stringify({ agent: 'nobody' }))
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
  expect(await project.effects()).toEqual(['one'])
})

test('an unknown name is refused with the names that there are, the nearest first', async () => {
  await using project = await aTeam({
    '.holdpoint/agents/billing.md': markdown('Bills.'),
    '.holdpoint/agents/support.md': markdown('Helps.'),
    '.holdpoint/agents/notes.txt': 'no agent',
    '.config/holdpoint/agents/writer.md': markdown('Writes.'),
  })
  const { exit, json } = await project.holdpoint('--agent', 'suport', '-o', 'json', 'hi')
  expect(exit).toBe(2)
  expect(json.error).toMatchObject({
    code: 'unknown_agent',
    hint: expect.stringContaining('support, writer, billing'),
  })
  expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)
})

test('two files of one name are refused, and a path chooses between them', async () => {
  await using project = await aTeam({
    '.holdpoint/agents/support.md': markdown('Helps.'),
    '.holdpoint/agents/support.mjs': loaded('support'),
  })
  await project.holdpoint('trust', '--yes')
  const refused = await project.holdpoint('--agent', 'support', '-o', 'json', 'hi')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'ambiguous_id' } } })
  const done = await project.holdpoint('--agent', '.holdpoint/agents/support.md', '-o', 'json', 'hi')
  expect(done.exit).toBe(0)
})

test('P1: an agent of the project that is a module is loaded only once the project is trusted', async () => {
  await using project = await aTeam({ '.holdpoint/agents/own.mjs': loaded('own') })
  const refused = { exit: 2, json: { error: { code: 'project_not_trusted' } } }
  for (const args of [
    ['--agent', 'own', 'hi'],
    ['policy', 'check', '--agent', 'own', 'ls'],
    ['check-pending', '--agent', 'own'],
  ])
    expect(await project.holdpoint(...args, '-o', 'json')).toMatchObject(refused)
  expect(project.exists('loaded')).toBe(false)
  const trusted = await project.holdpoint('trust', '--yes', '--json')
  expect(trusted.json.starts).toEqual(['agent module: .holdpoint/agents/own.mjs'])
  expect(await project.holdpoint('--agent', 'own', '-o', 'json', 'hi')).toMatchObject({ exit: 0 })
  expect(project.exists('loaded')).toBe(true)
  await project.write('.holdpoint/agents/more.ts', loaded('more'))
  expect(await project.holdpoint('--agent', 'own', '-o', 'json', 'hi')).toMatchObject(refused)
})

test('agents are shared with the project: git does not ignore them', async () => {
  await using project = await aTeam({ '.holdpoint/agents/support.md': markdown('Helps.') })
  await project.holdpoint('--agent', 'support', '-o', 'json', 'hi')
  const { execFileSync } = await import('node:child_process')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project.directory, encoding: 'utf8' })
  git('init', '--quiet')
  git('add', '.holdpoint')
  expect(git('ls-files').trim().split('\n')).toEqual(['.holdpoint/.gitignore', '.holdpoint/agents/support.md'])
})
