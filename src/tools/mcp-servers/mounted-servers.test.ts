import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type McpServers, readMcpServers } from '../../core/settings/mcp-servers.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { MountedServers, type MountedTools } from './mounted-servers.ts'

const NOTES = resolve(import.meta.dirname, '../../../test/scenarios/mcp/notes-server.mjs')
const SECRET = 'hunter2-and-more'

let directory: string
let servers: MountedServers

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-mcp-'))
  servers = mountedServers()
})
afterEach(async () => {
  await servers[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

function mountedServers(timing: { idleMs?: number } = {}): MountedServers {
  const others = {
    HOLDPOINT_ACTOR: 'ana',
    HOLDPOINT_STORE: 'postgres://ana:hush@db.example/runs',
    OPENAI_API_KEY: 'none',
  }
  const environment = { ...process.env, NOTES_TOKEN: SECRET, ...others }
  return new MountedServers({ environment, version: '0.0.0', firstWaitMs: 600, ...timing })
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
const TOKEN = '${NOTES_TOKEN}'

function notes(more: JsonObject = {}): McpServers {
  return readMcpServers({ notes: { command: process.execPath, args: [NOTES], env: { TOKEN }, ...more } })
}

function offer(...tools: (string | JsonObject)[]): void {
  offering({ tools })
}

function offering({ tools, ...more }: { tools: (string | JsonObject)[]; listChanged?: boolean }): void {
  const listed = tools.map(tool => (typeof tool === 'string' ? { name: tool } : tool))
  writeFileSync(join(directory, 'offer.json'), JSON.stringify({ ...more, tools: listed }))
}

/** The ids of the servers that were started. */
function started(): string[] {
  return linesOf('starts.log')
}

function effects(): string[] {
  return linesOf('effects.log')
}

function linesOf(name: string): string[] {
  const file = join(directory, name)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

async function call(
  { tools }: MountedTools,
  name: string,
  args: JsonObject = {},
  signal?: AbortSignal,
): ReturnType<Tool['execute']> {
  const tool = tools.get(name)
  if (!tool) throw new Error(`there is no ${name} among ${[...tools.keys()]}`)
  return tool.execute(args, toolContext(signal ? { abortSignal: signal } : {}))
}

async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo).toBe(true)
}

test('what a server offers are tools: called by the names of both, with results that a model can use', async () => {
  offer('write', 'see', 'count', 'fail', 'huge', 'place', { name: 'write.note' })
  const mounted = await servers.mount(notes(), directory)
  expect([...mounted.tools.keys()]).toContain('notes__write')
  expect(mounted.tools.get('notes__write')).toMatchObject({ idempotent: false, destructive: true })
  expect(await call(mounted, 'notes__write', { text: 'one' })).toBe('wrote one')
  expect(effects()).toEqual(['one'])
  const { inspect } = mounted.tools.get('notes__write') ?? {}
  expect(inspect?.({ at: ['/x/.holdpoint/policy.json'] }, '/')).toMatchObject({
    protected: expect.stringContaining('.holdpoint/'),
  })
  expect(inspect?.({ at: ['/x/holdpoint'] }, '/')).toMatchObject({ protected: null })
  expect(await call(mounted, 'notes__count')).toEqual({ structured_content: { notes: 3 }, content: ['3'] })
  expect(await call(mounted, 'notes__see')).toMatchObject({
    parts: [
      { type: 'text', text: 'a cat' },
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
    ],
  })
  expect(await call(mounted, 'notes__huge')).toMatch(/^x{32768}\n\[… \d+ bytes left out …\]\nx{65536}$/)
  await expect(call(mounted, 'notes__fail')).rejects.toMatchObject({
    code: 'MCP_TOOL_ERROR',
    message: 'refused for [redacted]',
  })
  const place = JSON.parse(String(await call(mounted, 'notes__place')))
  expect(place).toMatchObject({ cwd: directory, within: 'agent:mcp.notes' })
  expect(place.env).toContain('TOKEN')
  expect(place.env).not.toContain('OPENAI_API_KEY')
  expect(place.env).not.toContain('HOLDPOINT_ACTOR')
  expect(place.env).not.toContain('HOLDPOINT_STORE')
})

test('a name that models would not take is made to fit; two of the same name are refused', async () => {
  offer('write.note', 'w'.repeat(80))
  const { tools } = await servers.mount(notes(), directory)
  expect([...tools.keys()]).toEqual([
    expect.stringMatching(/^notes__write_note_[0-9a-f]{6}$/),
    expect.stringMatching(/^notes__w{50}_[0-9a-f]{6}$/),
  ])
  offer('write', 'write')
  await delay(310)
  await expect(servers.mount(notes(), directory)).rejects.toMatchObject({ code: 'colliding_tools' })
})

test('what a server says of its tools is believed only where it is trusted', async () => {
  const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true }
  offer({ name: 'write', annotations }, { name: 'count', annotations: { readOnlyHint: true } }, 'see')
  const { tools } = await servers.mount(notes({ trusted: true }), directory)
  const flags = [...tools.values()].map(({ name, idempotent, destructive }) => [name, idempotent, destructive])
  expect(flags).toEqual([
    ['notes__write', true, false],
    ['notes__count', true, false],
    ['notes__see', false, true],
  ])
})

test('P3: a server that dies during a call leaves it open what came of it; the next calls fail at once, then it is started again', async () => {
  offer('die', 'write')
  const mounted = await servers.mount(notes(), directory)
  const lost = await call(mounted, 'notes__die').catch(thrown => thrown)
  expect(lost).toMatchObject({
    code: 'MCP_SERVER_LOST',
    message: expect.stringMatching(/OUTCOME_UNKNOWN.*exit code 3.*no connection with \[redacted\]/),
  })
  await expect(call(mounted, 'notes__write', { text: 'no' })).rejects.toMatchObject({ code: 'MCP_SERVER_DOWN' })
  await delay(620)
  expect(await call(mounted, 'notes__write', { text: 'again' })).toBe('wrote again')
  expect(effects()).toEqual(['died', 'again'])
})

test('a call that is stopped or takes too long is cancelled at the server too', async () => {
  offer('hang')
  const mounted = await servers.mount(notes({ timeout_seconds: 0.3 }), directory)
  await expect(call(mounted, 'notes__hang')).rejects.toMatchObject({ code: 'MCP_CALL_TIMED_OUT' })
  const stop = new AbortController()
  const called = call(mounted, 'notes__hang', {}, stop.signal).catch(thrown => thrown)
  await until(() => effects().filter(word => word === 'hangs').length === 2)
  stop.abort(new Error('enough'))
  expect(await called).toMatchObject({
    code: 'TOOL_CALL_INTERRUPTED',
    message: expect.stringContaining('OUTCOME_UNKNOWN'),
  })
  await until(() => effects().filter(word => word === 'cancelled').length === 2)
})

test('P9: a tool that its server changed does not run as it was known before', async () => {
  const before = { name: 'write', description: 'Writes a note.' }
  const after = { ...before, description: 'Writes a note, and pays for it.' }
  offering({ listChanged: true, tools: [before, 'change'] })
  const mounted = await servers.mount(notes(), directory)
  await call(mounted, 'notes__change', { offer: { listChanged: true, tools: [after, { name: 'change' }] } })
  await until(() => !mounted.isCurrent())
  await expect(call(mounted, 'notes__write', { text: 'no' })).rejects.toMatchObject({ code: 'MCP_TOOL_CHANGED' })
  const again = await servers.mount(notes(), directory)
  expect(again.isCurrent()).toBe(true)
  expect(again.tools.get('notes__write')?.definition).toMatchObject({ description: after.description })
  expect(await call(again, 'notes__write', { text: 'yes' })).toBe('wrote yes')
  expect(effects()).toEqual(['yes'])
})

test('a message beyond all bounds ends the connection, and what was printed between messages does no harm', async () => {
  offer('endless')
  const mounted = await servers.mount(notes(), directory)
  await expect(call(mounted, 'notes__endless')).rejects.toMatchObject({
    code: 'MCP_SERVER_LOST',
    message: expect.stringContaining('more than 16 MiB'),
  })
})

test('a server that prints what is no message is understood all the same', async () => {
  const noisy = `console.log('Loading…'); console.log('{"a":1}'); await import(${JSON.stringify(NOTES)})`
  const mounted = await servers.mount(notes({ args: ['--input-type=module', '--eval', noisy] }), directory)
  expect(await call(mounted, 'notes__write', { text: 'one' })).toBe('wrote one')
})

test.each([
  [{ command: '/there/is/none' }, /mcp server notes cannot be used: spawn .*ENOENT/i],
  [
    { args: ['--eval', 'console.error(process.env.TOKEN + " is no good"); process.exit(7)'] },
    /exit code 7.*\[redacted\] is no good/,
  ],
  [{ args: ['--eval', 'console.log("usage: notes FILE")'] }, /exit code 0.*usage: notes FILE/],
])('a server that cannot be started is told of: %j', async (more, message) => {
  await expect(servers.mount(notes(more), directory)).rejects.toMatchObject({
    code: 'mcp_server_unavailable',
    message: expect.stringMatching(message),
  })
})

test('a server that cannot be used is left out unless it is needed or required', async () => {
  offer('write', { name: 'odd', inputSchema: 'none' })
  const broken = (more: JsonObject = {}) =>
    readMcpServers({
      wiki: { command: '/there/is/none', ...more },
      notes: { command: process.execPath, args: [NOTES] },
    })
  const mounted = await servers.mount(broken(), directory, () => false)
  expect([...mounted.tools.keys()]).toEqual(['notes__write'])
  expect(mounted.leftOut).toMatchObject([
    { name: 'wiki', prefix: 'wiki__', error: { code: 'mcp_server_unavailable' } },
    { name: 'notes__odd', error: { code: 'mcp_tool_unusable' } },
  ])
  const unavailable = { code: 'mcp_server_unavailable' }
  await expect(servers.mount(broken(), directory, name => name === 'wiki')).rejects.toMatchObject(unavailable)
  await expect(servers.mount(broken({ required: true }), directory, () => false)).rejects.toMatchObject(unavailable)
})

test('a variable that is not set is named', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
  const args = ['${NOWHERE}']
  await expect(servers.mount(notes({ args }), directory)).rejects.toMatchObject({
    code: 'missing_variable',
    message: expect.stringContaining('NOWHERE'),
  })
})

test('two projects have servers of their own, and each is started once', async () => {
  const other = mkdtempSync(join(tmpdir(), 'holdpoint-mcp-'))
  const [one, two, three] = await Promise.all([directory, other, directory].map(each => servers.mount(notes(), each)))
  for (const mounted of [one, two, three]) await call(mounted as MountedTools, 'notes__write', { text: 'here' })
  expect(effects()).toEqual(['here', 'here'])
  expect(readFileSync(join(other, 'effects.log'), 'utf8')).toBe('here\n')
  rmSync(other, { recursive: true })
})

test('P6: a server that nobody uses is stopped, and started again when it is needed', async () => {
  await using brief = mountedServers({ idleMs: 100 })
  const mounted = await brief.mount(notes(), directory)
  expect(await call(mounted, 'notes__write', { text: 'one' })).toBe('wrote one')
  const [first = ''] = started()
  await until(() => !isAlive(Number(first)))
  expect(await call(mounted, 'notes__write', { text: 'two' })).toBe('wrote two')
  expect([effects(), started().length]).toEqual([['one', 'two'], 2])
})

test('a server does not outlive its connection, also where it does not end by itself', async () => {
  const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); await import(${JSON.stringify(NOTES)})`
  const mounted = await servers.mount(notes({ args: ['--input-type=module', '--eval', deaf] }), directory)
  expect(mounted.tools.size).toBe(1)
  const pid = Number(started()[0])
  expect(isAlive(pid)).toBe(true)
  await servers[Symbol.asyncDispose]()
  await until(() => !isAlive(pid))
})

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.startsWith('Z') === false
  } catch {
    return false
  }
}

let web: ChildProcess
let port: string
let webDirectory: string

async function startWeb(env: Record<string, string> = {}): Promise<void> {
  web = spawn(process.execPath, [NOTES, '--http'], {
    cwd: webDirectory,
    env: { PATH: process.env['PATH'] ?? '', TOKEN: SECRET, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(web.stdout as NodeJS.ReadableStream, 'data')
  port = String(printed).trim()
}

beforeAll(async () => {
  webDirectory = mkdtempSync(join(tmpdir(), 'holdpoint-mcp-web-'))
  await startWeb()
})
afterAll(() => {
  web.kill('SIGKILL')
  rmSync(webDirectory, { recursive: true })
})

function wiki(more: JsonObject = {}): McpServers {
  const url = `http://127.0.0.1:${port}/mcp`
  return readMcpServers({ wiki: { url, headers: { Authorization: `Bearer ${TOKEN}` }, ...more } })
}

test('a server is reached over HTTP with its headers, and told of what goes wrong without them', async () => {
  writeFileSync(join(webDirectory, 'offer.json'), JSON.stringify({ tools: ['write', 'hang'].map(name => ({ name })) }))
  const mounted = await servers.mount(wiki(), directory)
  expect(await call(mounted, 'wiki__write', { text: 'web' })).toBe('wrote web')
  const refused = servers.mount(wiki({ headers: { Authorization: 'Bearer wrong-token' } }), directory)
  await expect(refused).rejects.toMatchObject({
    code: 'mcp_server_unavailable',
    message: expect.not.stringContaining('wrong-token'),
  })
})

test('P3: a server over HTTP that goes away during a call leaves it open what came of it', async () => {
  const mounted = await servers.mount(wiki({ timeout_seconds: 10 }), directory)
  const hanging = call(mounted, 'wiki__hang').catch(thrown => thrown)
  const log = join(webDirectory, 'effects.log')
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('hangs'))
  web.kill('SIGKILL')
  expect(await hanging).toMatchObject({ code: 'MCP_SERVER_LOST', message: expect.stringContaining('OUTCOME_UNKNOWN') })
  await expect(call(mounted, 'wiki__write', { text: 'no' })).rejects.toMatchObject({ code: 'MCP_SERVER_DOWN' })
  await startWeb({ PORT: port })
  await delay(620)
  expect(await call(mounted, 'wiki__write', { text: 'back' })).toBe('wrote back')
})

async function restartWeb(): Promise<void> {
  web.kill('SIGKILL')
  await once(web, 'exit')
  await startWeb({ PORT: port })
}

test('a server over HTTP that lost its session is initialized anew, and the call that it did not know is made again', async () => {
  const offered = { listChanged: true, tools: [{ name: 'write' }] }
  writeFileSync(join(webDirectory, 'offer.json'), JSON.stringify(offered))
  const mounted = await servers.mount(wiki(), directory)
  expect(await call(mounted, 'wiki__write', { text: 'before' })).toBe('wrote before')
  await restartWeb()
  // Its list is believed as long as it reports no change, so the call itself meets the lost session.
  expect(await call(mounted, 'wiki__write', { text: 'after' })).toBe('wrote after')
  await restartWeb()
  expect((await servers.mount(wiki(), directory)).tools.size).toBe(1)
  const log = readFileSync(join(webDirectory, 'effects.log'), 'utf8').split('\n')
  expect(log.filter(line => line === 'before' || line === 'after')).toEqual(['before', 'after'])
})

test('what a server reports of its progress is shown', async () => {
  offer('step')
  const mounted = await servers.mount(notes(), directory)
  const shown: unknown[] = []
  const context = toolContext({ report: part => void shown.push(part) })
  expect(await mounted.tools.get('notes__step')?.execute({}, context)).toBe('there')
  expect(shown).toEqual([
    { delta: 'half (1/2)\n', stream: 'progress' },
    { delta: 'half (2/2)\n', stream: 'progress' },
  ])
})

test('a process that is a server of an agent itself starts no servers', async () => {
  offer('write')
  const environment = { ...process.env, HOLDPOINT_WITHIN: 'agent:mcp.holdpoint' }
  await using within = new MountedServers({ environment, version: '0.0.0' })
  await expect(within.mount(notes(), directory)).rejects.toMatchObject({ code: 'server_within_server' })
  expect((await within.mount({}, directory)).tools.size).toBe(0)
  expect(started()).toEqual([])
})
