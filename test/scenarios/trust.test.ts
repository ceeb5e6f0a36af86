import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { aProject, CLI, command, type Project } from './project.ts'

const NOTES = resolve(import.meta.dirname, 'mcp/notes-server.mjs')
const notes = { command: process.execPath, args: [NOTES] }
const OFFER = JSON.stringify({ tools: [{ name: 'write', inputSchema: { type: 'object' } }] })

/** A project that starts a server, which writes `starts.log`, and that is not trusted yet. */
function untrusted(config: object = { mcpServers: { notes } }, files: Readonly<Record<string, string>> = {}) {
  return aProject({ script: ['Done.'], config, files: { 'offer.json': OFFER, ...files } })
}

const refused = { exit: 2, json: { outcome: 'refused', error: { code: 'project_not_trusted' } } }

async function setConfig(project: Project, config: object): Promise<void> {
  await project.write('.holdpoint/config.json', JSON.stringify(config))
}

test('a project that starts a server is refused until its user trusts it, and nothing is started before', async () => {
  await using project = await untrusted()
  for (const args of [['go'], ['work', '--once'], ['mcp']]) {
    const first = await project.run([...args, '-o', 'json'], { stdin: '' })
    expect(first).toMatchObject(refused)
    expect(first.json.error.hint).toContain('holdpoint trust')
    expect(first.json.error.message).toContain('MCP server notes')
  }
  expect(project.exists('starts.log')).toBe(false)
  expect((await project.holdpoint('trust', '--json')).json).toMatchObject({ error: { code: 'project_not_trusted' } })
  const trusted = await project.holdpoint('trust', '--yes', '--json')
  expect(trusted.json).toMatchObject({ outcome: 'trusted', starts: [expect.stringContaining(NOTES)] })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0 })
  expect(project.exists('starts.log')).toBe(true)
  expect((await project.holdpoint('trust', '--json')).json).toMatchObject({ outcome: 'trusted_before' })
})

test('P1: a checkout whose configuration says who signs people in serves nobody until its user trusts it', async () => {
  const oidc = { issuer: 'https://login.example.org', client_id: 'holdpoint', roles: { admin: ['*'] } }
  await using project = await untrusted({ sign_in: { oidc } })
  const served = await project.run(['serve', '--port', '0'])
  expect(served.exit).toBe(2)
  expect(served.stderr).toContain('people sign in at https://login.example.org')
})

test('a change of what is started asks anew; a change of anything else does not', async () => {
  await using project = await untrusted()
  await project.holdpoint('trust', '--yes')
  await setConfig(project, { mcpServers: { notes }, due: { seconds: 60 } })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0 })
  for (const changed of [
    { ...notes, args: [NOTES, 'more'] },
    { ...notes, env: { NODE_OPTIONS: '--require ./x.cjs' } },
  ]) {
    await setConfig(project, { mcpServers: { notes: changed } })
    expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject(refused)
  }
  await setConfig(project, { mcpServers: { notes } })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0 })
})

test('an agent module that the configuration names must be trusted; one on the command line, and Markdown, need no trust', async () => {
  const agent = "import { writeFileSync } from 'node:fs'\nwriteFileSync('loaded', '')\nexport default { name: 'own' }\n"
  const files = { 'own.mjs': agent, 'plain.md': '---\nname: plain\n---\nHelp.\n' }
  await using project = await untrusted({ agent: 'own.mjs' }, files)
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject(refused)
  expect(await project.holdpoint('policy', 'check', 'ls', '--json')).toMatchObject(refused)
  expect(project.exists('loaded')).toBe(false)
  await setConfig(project, { agent: 'plain.md' })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0 })
  expect(await project.holdpoint('--agent', 'own.mjs', '-o', 'json', 'go')).toMatchObject({ exit: 0 })
  expect(project.exists('loaded')).toBe(true)
})

test('commands that start nothing work in a project that is not trusted', async () => {
  await using project = await untrusted()
  expect(await project.run(['policy', 'check', 'ls'])).toMatchObject({ exit: 0 })
  // Not for want of trust: nothing was run here yet.
  for (const list of ['runs', 'holds'])
    expect(await project.run([list, '--json'])).toMatchObject({ exit: 2, json: { error: { code: 'no_store' } } })
})

test('P1: no agent trusts a project, by its command or by what it unsets', async () => {
  const unset = 'unset HOLDPOINT_WITHIN HOLDPOINT_COMMAND_IDS; '
  const trust = `exec ${process.execPath} ${CLI} trust --yes --json > out.json`
  await using project = await untrusted(
    {},
    {
      'trust.sh': unset + trust,
      'try.json': JSON.stringify([{ calls: [command('t1', 'bash trust.sh')] }, 'Done.']),
    },
  )
  await project.holdpoint('--model', 'script:try.json', 'go')
  expect(JSON.parse(await project.read('out.json'))).toMatchObject({ error: { code: 'agent_cannot_trust' } })
  const asked = await project.holdpoint('policy', 'check', 'holdpoint trust --yes', '--json')
  expect(asked.json).toMatchObject({ policy: 'prompt' })
})

test('a run that waits in a trusted project is not gone on with once the configuration starts something else', async () => {
  await using project = await untrusted()
  await project.write('script.json', JSON.stringify([{ calls: [command('t1', 'echo one >> effects.log')] }, 'Done.']))
  await project.holdpoint('trust', '--yes')
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await setConfig(project, { mcpServers: { notes, other: notes } })
  const resume = ['-c', json.checkpoint_id, '--approve', 't1', '-o', 'json'] as const
  expect(await project.holdpoint(...resume)).toMatchObject(refused)
  expect((await project.holdpoint('holds', '--json')).json).toMatchObject([{ status: 'open' }])
  await project.holdpoint('trust', '--yes')
  expect(await project.holdpoint(...resume)).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['one'])
})

test('the record of trust is outside the project, for its user and this directory alone', async () => {
  await using project = await untrusted()
  await using elsewhere = await aProject()
  const env = { XDG_CONFIG_HOME: elsewhere.path('config') }
  await project.run(['trust', '--yes'], { env })
  expect(await project.run(['-o', 'json', 'go'], { env })).toMatchObject({ exit: 0 })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject(refused)
  await rm(elsewhere.path('config'), { recursive: true })
  expect(await project.run(['-o', 'json', 'go'], { env })).toMatchObject(refused)
})

/** Runs `holdpoint` in a terminal of its own, in which a person types `answer`. */
async function inTerminal(project: Project, answer: string, ...args: string[]): Promise<string> {
  const line = [process.execPath, CLI, ...args].join(' ')
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `(sleep 2; printf '${answer}\\r'; sleep 3) | script -qec '${line}' /dev/null || true`],
    { cwd: project.directory, env: { ...project.environment, TERM: 'dumb' } },
  )
  return stdout
}

test.runIf(process.platform === 'linux')(
  'a terminal asks, shows what is started, and goes on after a yes',
  async () => {
    await using project = await untrusted()
    const no = await inTerminal(project, 'n', '"go on"')
    expect(no).toContain('MCP server notes')
    expect(no).toContain('not trusted')
    expect(project.exists('starts.log')).toBe(false)
    const yes = await inTerminal(project, 'y', '"go on"')
    expect(yes).toContain('Done.')
    expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0 })
  },
)
