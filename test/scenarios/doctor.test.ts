import { chmod, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { aProject, command, type Finished, type Project } from './project.ts'

const NOTES = resolve(import.meta.dirname, 'mcp/notes-server.mjs')
const notes = { command: process.execPath, args: [NOTES] }
const OFFER = JSON.stringify({ tools: [{ name: 'write', inputSchema: { type: 'object' } }] })

interface Finding {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly hint: string | null
}

function found({ json }: Finished, check: string): Finding[] {
  return json.checks.filter((finding: Finding) => finding.check === check)
}

/** A server that answers everything with 404, and counts. */
async function anEndpoint(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no key'}`)
    response.writeHead(404).end()
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

async function tree(project: Project): Promise<string[]> {
  return (await readdir(project.directory, { recursive: true })).toSorted()
}

test('the doctor says of a fresh directory what is missing, fails nothing, and changes nothing', async () => {
  await using project = await aProject()
  const looked = await project.holdpoint('doctor', '--json')
  expect(looked).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'healthy' } })
  expect(found(looked, 'project')).toMatchObject([{ status: 'warn', hint: expect.stringContaining('holdpoint init') }])
  expect(found(looked, 'store')).toMatchObject([{ status: 'ok', message: expect.stringContaining('not there yet') }])
  expect(found(looked, 'keys')).toMatchObject([{ status: 'warn' }])
  expect(await tree(project)).toEqual([])
})

test.each([
  ['3600000', 'forward by 1 h'],
  ['-3600000', 'back by 1 h'],
])('the doctor says that the clock was set since a hold was opened (%s ms)', async (ms, how) => {
  await using project = await aProject({
    script: [{ calls: [command('true', 'tc_1')] }],
    policy: { tools: { run_command: 'prompt' } },
  })
  expect(await project.holdpoint('-a', '--pause-on-approval', 'go')).toMatchObject({ exit: 10 })
  expect(found(await project.holdpoint('doctor', '--json'), 'clock set')).toEqual([])
  const preload = resolve(import.meta.dirname, 'shift-clock.mjs')
  const set = { NODE_OPTIONS: `--import ${preload}`, CLOCK_AHEAD_MS: ms, CLOCK_IS_SET: '1' }
  const looked = await project.run(['doctor', '--json'], { env: set })
  expect(found(looked, 'clock set')).toMatchObject([{ status: 'warn', message: expect.stringContaining(how) }])
})

test('the doctor finds all well after init and a run, and leaves the store as it is', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await project.holdpoint('init')
  await project.holdpoint('go')
  const before = await tree(project)
  const looked = await project.holdpoint('doctor', '--json')
  expect(looked.exit).toBe(0)
  const statuses = Object.fromEntries(looked.json.checks.map(({ check, status }: Finding) => [check, status]))
  expect(statuses).toMatchObject({ project: 'ok', config: 'ok', policy: 'ok', store: 'ok', rights: 'ok', model: 'ok' })
  expect(found(looked, 'agents')).toMatchObject([{ message: 'assistant' }])
  expect(await tree(project)).toEqual(before)
})

test('keys are told by name and never by value, and the endpoint of the model is asked once, without a key', async () => {
  const { url, asked } = await anEndpoint()
  const env = { OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: url, HOLDPOINT_MODEL: 'openai/gpt-5' }
  await using project = await aProject({ env })
  const looked = await project.holdpoint('doctor', '--json')
  expect(found(looked, 'keys')).toMatchObject([{ status: 'ok', message: expect.stringContaining('OPENAI_API_KEY') }])
  expect(found(looked, 'model')).toMatchObject([{ status: 'ok', message: expect.stringContaining('(404)') }])
  expect(looked.stdout).not.toContain('very-secret')
  expect(asked).toEqual(['GET /v1 no key'])
  await project.holdpoint('doctor', '--offline')
  expect(asked).toHaveLength(1)
})

test('a model that cannot be reached, or has no key, is a failure with exit 1', async () => {
  await using project = await aProject({ env: { HOLDPOINT_MODEL: 'openai/gpt-5', OPENAI_API_KEY: 'x' } })
  const away = await project.run(['doctor', '--json'], { env: { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' } })
  expect(away).toMatchObject({ exit: 1, json: { outcome: 'unhealthy' } })
  expect(found(away, 'model')).toMatchObject([{ status: 'fail', hint: expect.any(String) }])
  const keyless = await project.run(['doctor', '--json'], { env: { OPENAI_API_KEY: '' } })
  expect(found(keyless, 'model')).toMatchObject([
    { status: 'fail', message: expect.stringContaining('OPENAI_API_KEY') },
  ])
})

test('settings, policy and agents that cannot be read are failures that name the file', async () => {
  await using project = await aProject({
    script: ['Done.'],
    config: {},
    files: {
      '.holdpoint/agents/broken.md': '---\nnosuch: 1\n---\n',
      '.holdpoint/policy.json': '{ "default": "maybe" }',
    },
  })
  const looked = await project.holdpoint('doctor', '--json')
  expect(looked.exit).toBe(1)
  expect(found(looked, 'policy')).toMatchObject([{ status: 'fail', message: expect.stringContaining('policy.json') }])
  expect(found(looked, 'agents').at(-1)).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('broken.md'),
  })
  await project.write('.holdpoint/config.json', '{ "modell": 1 }')
  const worse = await project.holdpoint('doctor', '--json')
  expect(found(worse, 'config')).toMatchObject([{ status: 'fail', message: expect.stringContaining('modell') }])
})

test('P1: the doctor starts nothing of a project that is not trusted, and says what a trusted one offers', async () => {
  await using project = await aProject({
    script: ['Done.'],
    config: { mcpServers: { notes, gone: { command: '/no/such/program' } } },
    files: {
      'offer.json': OFFER,
      '.holdpoint/agents/own.mjs':
        "import { writeFileSync } from 'node:fs'\nwriteFileSync('loaded', '')\nexport default {}\n",
    },
  })
  const before = await project.holdpoint('doctor', '--json')
  expect(found(before, 'trust')).toMatchObject([{ status: 'warn', hint: expect.stringContaining('holdpoint trust') }])
  expect(found(before, 'agents')).toMatchObject([{ message: expect.stringContaining('want of trust') }])
  expect([project.exists('starts.log'), project.exists('loaded')]).toEqual([false, false])
  await project.holdpoint('trust', '--yes')
  const after = await project.holdpoint('doctor', '--json')
  expect(project.exists('loaded')).toBe(true)
  expect(found(after, 'servers')).toMatchObject([
    { status: 'ok', message: 'notes: started, 1 tool' },
    { status: 'fail', message: expect.stringContaining('gone') },
  ])
})

test('a server that never answers is a failure within its own timeout, and is not left running', async () => {
  const silent = { command: 'sh', args: ['-c', 'echo $$ > pid; exec sleep 300'], timeout_seconds: 1 }
  await using project = await aProject({ script: ['Done.'], config: { mcpServers: { silent } } })
  await project.holdpoint('trust', '--yes')
  const began = performance.now()
  const looked = await project.holdpoint('doctor', '--json')
  expect(looked.exit).toBe(1)
  expect(found(looked, 'servers')).toMatchObject([{ status: 'fail', message: expect.stringContaining('within 1 s') }])
  expect(performance.now() - began).toBeLessThan(20_000)
  const pid = Number(await project.read('pid'))
  await expect.poll(() => isRunning(pid)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a damaged, a foreign and an open store are told apart', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await project.holdpoint('go')
  const file = project.path('.holdpoint/holdpoint.db')
  await chmod(file, 0o644)
  expect(found(await project.holdpoint('doctor', '--json'), 'rights')).toMatchObject([{ status: 'warn' }])
  await writeFile(file, 'no database at all, but long enough to look like a file with something in it')
  const damaged = await project.holdpoint('doctor', '--json')
  expect(damaged.exit).toBe(1)
  expect(found(damaged, 'store')).toMatchObject([{ status: 'fail', hint: expect.any(String) }])
  const foreign = openDatabase(project.path('other.db'))
  foreign.exec('CREATE TABLE a (b)')
  foreign.close()
  const other = await project.holdpoint('doctor', '--store', 'sqlite:other.db', '--json')
  expect(found(other, 'store')).toMatchObject([{ status: 'fail', message: expect.stringContaining('another program') }])
})

test('git that would take the store into a repository is a warning', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const { execFileSync } = await import('node:child_process')
  execFileSync('git', ['init', '--quiet'], { cwd: project.directory })
  await project.holdpoint('go')
  expect(found(await project.holdpoint('doctor', '--json'), 'git')).toMatchObject([{ status: 'ok' }])
  await project.write('.holdpoint/.gitignore', '*\n!.gitignore\n!config.json\n!policy.json\n')
  const lost = found(await project.holdpoint('doctor', '--json'), 'git')
  expect(lost).toMatchObject([{ status: 'warn', message: expect.stringContaining('agents') }])
  await project.write('.holdpoint/.gitignore', '')
  const leaked = found(await project.holdpoint('doctor', '--json'), 'git')
  expect(leaked).toMatchObject([{ status: 'warn', message: expect.stringContaining('store') }])
  await project.holdpoint('go')
  expect(found(await project.holdpoint('doctor', '--json'), 'git')).toMatchObject([{ status: 'ok' }])
})

test('P1: a token of the user below the project, where agents work, is a warning until it is moved out', async () => {
  await using project = await aProject()
  const left = '.holdpoint/server-token'
  await project.write(left, 'the-token-of-an-older-version\n')
  await chmod(project.path(left), 0o600)
  const warned = found(await project.holdpoint('doctor', '--json'), 'secrets')
  expect(warned).toMatchObject([{ status: 'warn', message: expect.stringContaining(left) }])
  expect((await project.holdpoint('tokens', 'own')).stdout).toBe('the-token-of-an-older-version\n')
  expect(project.exists(left)).toBe(false)
  expect(found(await project.holdpoint('doctor', '--json'), 'secrets')).toEqual([])
})

test('an item of the doctor that is late says so, and holds up no other', async () => {
  await using project = await aProject({
    script: ['Done.'],
    files: {
      '.holdpoint/agents/late.mjs': 'await new Promise(() => setInterval(() => {}, 1000))\nexport default {}\n',
      'bin/git': '#!/bin/sh\nexec sleep 300\n',
    },
  })
  await project.holdpoint('trust', '--yes')
  await project.holdpoint('go')
  await chmod(project.path('bin/git'), 0o755)
  const env = { PATH: `${project.path('bin')}:${process.env['PATH']}` }
  const looked = await project.run(['doctor', '--timeout', '4', '--json'], { env })
  const late = { status: 'fail', message: 'not through within 4 s', hint: expect.stringContaining('--timeout') }
  expect(looked.exit).toBe(1)
  expect(found(looked, 'git')).toMatchObject([late])
  expect(found(looked, 'agents')).toMatchObject([late])
  expect(found(looked, 'store')).toMatchObject([{ status: 'ok', message: expect.stringContaining('no damage') }])
  expect(found(looked, 'notices')).toMatchObject([{ status: 'ok' }])
  const hasty = await project.run(['doctor', '--timeout', '0.01', '--json'], { env })
  expect(found(hasty, 'store')).toMatchObject([
    { status: 'warn', message: expect.stringContaining('not read through') },
  ])
  expect(await project.holdpoint('doctor', '--timeout', 'soon')).toMatchObject({ exit: 2 })
})

test('the doctor finds an index that lacks a row, which no table shows', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await project.holdpoint('go')
  const database = openDatabase(project.path('.holdpoint/holdpoint.db'))
  database.enableDefensive(false)
  database.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, '(thread,', '(id,') WHERE name = 'runs_of_thread'`)
  database.close()
  const looked = await project.holdpoint('doctor', '--json', '--offline')
  expect(found(looked, 'store')).toMatchObject([
    { status: 'fail', message: expect.stringContaining('missing from index runs_of_thread') },
  ])
})

test('the doctor says what a deadline does to the calls of each tool', async () => {
  await using project = await aProject({
    config: { due: { seconds: 3600, on_due: 'auto_approve' } },
    files: {
      '.holdpoint/agents/asker.md':
        '---\nname: asker\ntools: [ask_human]\ndue: { seconds: 60, on_due: reject }\n---\nAsk.\n',
    },
  })
  const looked = await project.holdpoint('doctor', '--json')
  const [usual, asker] = found(looked, 'deadlines')
  expect(usual).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(
      /^default: run_command: after 1 h its run cancelled, and not approved: run_command is destructive; .*request_approval, plan: after 1 h approved, with nobody having looked/,
    ),
  })
  expect(usual?.message).toContain('ask_human: after 1 h its run cancelled, and not approved: it waits for an answer')
  expect(asker).toMatchObject({ status: 'ok', message: 'asker: ask_human: after 1 min rejected' })
})
