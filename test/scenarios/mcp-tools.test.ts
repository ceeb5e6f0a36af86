import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isAlive, until } from './processes.ts'
import { aProject, ended, type Project, type ProjectOptions } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, results, started } from './workplace.ts'

const NOTES = resolve(import.meta.dirname, 'mcp/notes-server.mjs')
const SECRET = 'hunter2-and-more'

const WRITE = { name: 'write', description: 'Writes a note.', inputSchema: { type: 'object' } }

/** A call of the server's tool that leaves `text` in `effects.log`. */
function write(id: string, text: string, name = 'notes__write') {
  return { id, name, args: { text } }
}

/** A project with a server `notes` that writes down whenever it is started. */
async function withNotes(options: ProjectOptions & { server?: object; offer?: object } = {}): Promise<Project> {
  const { server = {}, offer = { tools: [WRITE] }, files = {}, config = {}, ...rest } = options
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
  const notes = { command: process.execPath, args: [NOTES], env: { TOKEN: '${NOTES_TOKEN}' }, ...server }
  const project = await aProject({
    policy: { default: 'prompt' },
    config: { mcpServers: { notes }, ...(config as object) },
    files: { 'offer.json': JSON.stringify(offer), ...files },
    env: { NOTES_TOKEN: SECRET },
    ...rest,
  })
  await project.holdpoint('trust', '--yes')
  return project
}

/** How often the server was started. */
function starts(project: Project): number {
  const file = project.path('starts.log')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0
}

const pausing = ['--pause-on-approval', '-o', 'json'] as const

test('a call of a server is approved in another process and runs once; what the server was given in confidence is kept nowhere', async () => {
  await using project = await withNotes({
    offer: { tools: [WRITE, { name: 'die' }, { name: 'fail' }] },
    policy: { default: 'auto', tools: { notes__write: 'prompt', write: 'never' } },
    script: [
      { calls: [write('tc_1', 'one')] },
      {
        calls: [
          { id: 'tc_2', name: 'notes__fail', args: {} },
          { id: 'tc_3', name: 'notes__die', args: {} },
        ],
      },
      'Done.',
    ],
  })
  const paused = await project.holdpoint(...pausing, 'Write.')
  expect(paused).toMatchObject({ exit: 10, stderr: '' })
  const [pending] = paused.json.pause_reason.pending_tool_calls
  expect(pending).toMatchObject({ id: 'tc_1', name: 'notes__write', arguments: { text: 'one' } })
  expect(await project.effects()).toEqual([])

  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['one', 'died'])
  const results = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual([
    'wrote one',
    'MCP_TOOL_ERROR: refused for [redacted]',
    expect.stringMatching(/^MCP_SERVER_LOST: .*OUTCOME_UNKNOWN.*no connection with \[redacted\]/),
  ])
  expect(starts(project)).toBe(2)
  for (const file of await readdir(project.path('.holdpoint'), { recursive: true, withFileTypes: true })) {
    if (file.isFile())
      expect((await readFile(join(file.parentPath, file.name))).includes(SECRET), file.name).toBe(false)
  }
  expect(done.stdout).not.toContain(SECRET)
  expect(await project.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
})

test('no server is started for a run that may not use it, nor to decide, to look, or to accept a text', async () => {
  await using project = await withNotes({
    script: [{ text: 'First.', calls: [write('tc_1', 'one')] }, { text: 'Is that all?' }],
  })
  expect(await project.holdpoint('-t', 'run_command', '-o', 'json', 'Go.')).toMatchObject({ exit: 0 })
  expect(await project.holdpoint('policy', 'check', '--tool', 'notes__write', '--arguments', '{}')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^prompt/),
  })
  expect(starts(project)).toBe(0)
  const paused = await project.holdpoint(...pausing, 'Write.')
  expect(starts(project)).toBe(1)
  const [hold] = (await project.holdpoint('holds', '--json')).json
  expect(await project.holdpoint('show', hold.id)).toMatchObject({ exit: 0 })
  expect(await project.holdpoint('approve', hold.id)).toMatchObject({ exit: 0 })
  expect(starts(project)).toBe(1)
  const asked = await project.holdpoint('-c', paused.json.checkpoint_id, ...pausing)
  expect([asked.exit, starts(project)]).toEqual([10, 2])
  expect(await project.holdpoint('-c', asked.json.checkpoint_id, '--finish', '-o', 'json')).toMatchObject({ exit: 0 })
  expect(starts(project)).toBe(2)
  expect(await project.effects()).toEqual(['one'])
})

test('P9: what a server says of its tool changed after the approval: a fresh hold shows the difference, and nothing ran', async () => {
  await using project = await withNotes({ script: [{ calls: [write('tc_1', 'one')] }, 'Done.'] })
  const paused = await project.holdpoint(...pausing, 'Write.')
  const [hold] = (await project.holdpoint('holds', '--json')).json
  await project.holdpoint('approve', hold.id)
  await project.write(
    'offer.json',
    JSON.stringify({ tools: [{ ...WRITE, description: 'Writes a note to everybody.' }] }),
  )
  const check = await project.holdpoint('check-pending', '--json')
  const differences = [
    { path: 'schema.tool_definition.description', was: 'Writes a note.', is: 'Writes a note to everybody.' },
  ]
  // What somebody approved waits for nobody any more, so nothing pends: the difference is found on the way.
  expect(check.exit).toBe(0)
  const again = await project.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json')
  expect(again).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1' }] } } })
  const [fresh] = (await project.holdpoint('holds', '--json')).json
  expect(fresh).toMatchObject({ context: { differences } })
  expect(await project.effects()).toEqual([])
  await project.write('offer.json', JSON.stringify({ tools: [WRITE] }))
  expect((await project.holdpoint('check-pending', '--json')).json).toMatchObject([
    { status: 'changed', differences: [{ ...differences[0], was: differences[0]?.is, is: differences[0]?.was }] },
  ])
})

test('a server that cannot be started refuses a new run that names its tools, and a resume changes nothing until it is back', async () => {
  await using project = await withNotes({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
    server: { command: '${NOTES_COMMAND:-node}' },
    files: { 'agent.md': '---\nname: writer\ntools: [notes__write, notes__gone]\n---\nWrite.' },
    script: [{ calls: [write('tc_1', 'one')] }, 'Done.'],
  })
  const down = { env: { NOTES_COMMAND: '/there/is/none' } }
  const refused = await project.run([...pausing, '-t', 'notes__write', 'Write.'], down)
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'mcp_server_unavailable' } } })
  const gone = await project.holdpoint(...pausing, '--agent', 'agent.md', 'Write.')
  expect(gone).toMatchObject({ exit: 2, json: { error: { code: 'unknown_tool' } } })
  expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)

  const { json } = await project.holdpoint(...pausing, 'Write.')
  const resume = ['-c', json.checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  expect(await project.run(resume, down)).toMatchObject({
    exit: 2,
    json: { error: { code: 'mcp_server_unavailable' } },
  })
  expect((await project.holdpoint('holds', '--json')).json).toMatchObject([{ call_id: 'tc_1', status: 'open' }])
  await project.write('offer.json', JSON.stringify({ tools: [{ name: 'count' }] }))
  expect((await project.holdpoint('check-pending', '--json')).json).toMatchObject([{ status: 'broken' }])
  expect(await project.run(resume)).toMatchObject({ exit: 10 })
  const [hold] = (await project.holdpoint('holds', '--json')).json
  expect(hold.message).toContain('notes__write is gone')
  expect(await project.effects()).toEqual([])
})

/** A project in which the server `wiki` cannot be started. */
function withBrokenWiki(more: object): Promise<Project> {
  const notes = { command: process.execPath, args: [NOTES] }
  const print = 'console.error("no mode for " + process.env.NOTES_TOKEN); process.exit(1)'
  const wiki = { command: process.execPath, args: ['-e', print], env: { MODE: 'mode' }, ...more }
  return withNotes({
    policy: { default: 'auto' },
    script: [{ calls: [write('tc_1', 'one')] }, 'Done.'],
    offer: { tools: [WRITE, { name: 'odd', inputSchema: 'none' }] },
    config: { mcpServers: { notes, wiki } },
  })
}

test('a broken server, or a broken tool of one, stops no run that names none of it, and is named once', async () => {
  await using project = await withBrokenWiki({})
  const done = await project.holdpoint('-o', 'json', 'Write.')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['one'])
  expect(done.json.warnings).toMatchObject([
    { code: 'tools_left_out', name: 'notes__odd', message: expect.stringContaining('declares its tool "odd" wrongly') },
    { code: 'tools_left_out', name: 'wiki', message: expect.stringMatching(/exit code 1.*no mode for undefined/) },
  ])
  const told = await project.holdpoint('Write.')
  expect(told.stderr.match(/The MCP server wiki cannot be used/g)).toHaveLength(1)
  expect(await project.holdpoint('-t', 'wiki__*', 'Read.')).toMatchObject({ exit: 2 })
  const doctor = await project.holdpoint('doctor', '--json')
  expect(doctor.stdout).toContain('The MCP server wiki cannot be used')
  expect(doctor.stdout).toContain('declares its tool \\"odd\\" wrongly')
})

test('a broken server that is required stops every run that may use it', async () => {
  await using project = await withBrokenWiki({ required: true })
  const refused = await project.holdpoint('-o', 'json', 'Write.')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'mcp_server_unavailable' } } })
  expect(await project.holdpoint('-t', 'notes__*', 'Write.')).toMatchObject({ exit: 0 })
})

test('the servers of a run are those of the project it was started in, wherever and by whomever it is advanced', async () => {
  await using project = await withNotes({
    script: [{ calls: [write('tc_1', 'one')] }, { calls: [write('tc_2', 'two')] }, 'Done.'],
  })
  await using elsewhere = await withNotes({
    offer: { tools: [{ name: 'count' }] },
    // Of the same user, who trusts both.
    env: { NOTES_TOKEN: SECRET, HOME: project.directory },
  })
  const store = ['--store', `sqlite:${project.path('.holdpoint/holdpoint.db')}`]
  const paused = await project.holdpoint(...pausing, 'Write.')
  const next = await elsewhere.holdpoint('-c', paused.json.checkpoint_id, ...store, '--approve', 'tc_1', '-o', 'json')
  expect(next).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  const [hold] = (await project.holdpoint('holds', '--json')).json
  await project.holdpoint('approve', hold.id)
  expect(await elsewhere.holdpoint('work', '--once', ...store)).toMatchObject({ exit: 0, stderr: '' })
  expect(await project.effects()).toEqual(['one', 'two'])
  expect([await elsewhere.effects(), starts(elsewhere)]).toEqual([[], 0])
})

test('a run that is stopped while a server works leaves no server behind, and the call is cancelled', async () => {
  await using project = await withNotes({
    offer: { tools: [{ name: 'hang' }] },
    policy: { default: 'auto' },
    script: [{ calls: [{ id: 'tc_1', name: 'notes__hang', args: {} }] }, 'Done.'],
  })
  const child = project.start(['-o', 'json', 'Go.'])
  const over = ended(child)
  await until(async () => (await project.effects()).length > 0)
  child.kill('SIGTERM')
  expect(await over).toMatchObject({ exit: 143, json: { outcome: 'interrupted' } })
  expect(await project.effects()).toEqual(['hangs', 'cancelled'])
  const pid = Number(await project.read('starts.log'))
  expect(isAlive(pid)).toBe(false)
})

test('a command that is stopped while it starts a server that never answers leaves none behind', async () => {
  const silent = `require('fs').writeFileSync('starts.log', String(process.pid)); setInterval(() => {}, 1000)`
  await using project = await withNotes({ server: { args: ['--eval', silent] }, script: ['Done.'] })
  const child = project.start(['-o', 'json', 'Go.'])
  const over = ended(child)
  await until(() => starts(project) > 0)
  child.kill('SIGINT')
  const stopped = { outcome: 'failed', error: { code: 'interrupted' }, run_id: null }
  expect(await over).toMatchObject({ exit: 130, stderr: '', json: stopped })
  const pid = Number(await project.read('starts.log'))
  await until(() => !isAlive(pid))
})

test('P9: a tool that its server changes while a run goes on is shown to the model as it is now, and the journal tells', async () => {
  const changed = { ...WRITE, description: 'Writes two notes.' }
  const offer = { listChanged: true, tools: [changed, { name: 'change' }] }
  await using project = await withNotes({
    offer: { ...offer, tools: [WRITE, { name: 'change' }] },
    policy: { default: 'auto' },
    script: [
      { calls: [{ id: 'tc_1', name: 'notes__change', args: { offer } }] },
      { calls: [{ id: 'tc_2', name: 'run_command', args: { command: 'sleep 0.1' } }] },
      { calls: [write('tc_3', 'one')] },
      'Done.',
    ],
  })
  const done = await project.holdpoint('-o', 'stream-json', 'Go.')
  expect(done.exit).toBe(0)
  const events = done.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const notes = events.filter(({ kind }) => kind === 'note').map(({ data }) => data.message)
  expect(notes).toEqual(['The tools are not what they were: notes__write changed.'])
  expect(await project.effects()).toEqual(['one'])
})

test('P9: in a process that goes on, a call that was held is compared with what its server offers by then', async () => {
  const changed = { ...WRITE, description: 'Writes two notes.' }
  const offer = { tools: [changed, { name: 'change' }] }
  await using place = await aWorkplace({
    script: [{ calls: [call('A', 'notes__write', { text: 'one' }), call('B', 'notes__change', { offer })] }, 'Done.'],
    tools: ['notes__*'],
    policy: { default: 'auto', tools: { notes__write: 'prompt' } },
  })
  await writeFile(join(place.directory, 'offer.json'), JSON.stringify({ tools: [WRITE, { name: 'change' }] }))
  const mcpServers = { notes: { command: process.execPath, args: [NOTES] } }
  await using holdpoint = await place.open({ open: { mcpServers } })
  const run = await started(holdpoint)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  await delay(310)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  const fresh = await onlyHold(holdpoint)
  expect(fresh).toMatchObject({
    destructive: true,
    context: { differences: [{ path: 'schema.tool_definition.description', is: changed.description }] },
  })
  await holdpoint.decide(fresh.id, { verdict: 'approve', ...ana })
  expect(results(await advanced(holdpoint, run.id))).toEqual([
    ['A', 'wrote one'],
    ['B', 'changed'],
  ])
})

/** A server that writes its messages itself: no JSON of JavaScript has such numbers. */
const LEDGER = `import { createInterface } from 'node:readline'
const RESULTS = {
  initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"ledger","version":"1"}}',
  'tools/list': '{"tools":[{"name":"last","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}]}',
  'tools/call': '{"content":[],"structuredContent":{"id":1234567890123456789,"cents":250}}',
}
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + (RESULTS[method] ?? '{}') + '}\\n')
})
`

test('P9: a number of a result that JavaScript cannot hold is kept as text', async () => {
  await using project = await aProject({
    policy: { default: 'auto' },
    script: [{ calls: [{ id: 'tc_1', name: 'ledger__last', args: {} }] }, 'Done.'],
    config: { mcpServers: { ledger: { command: process.execPath, args: ['ledger.mjs'] } } },
    files: { 'ledger.mjs': LEDGER },
  })
  await project.holdpoint('trust', '--yes')
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({ exit: 0 })
  const messages = await project.messages(done.json.session_id)
  expect(messages.find(({ role }) => role === 'tool')).toMatchObject({
    content: { id: '1234567890123456789', cents: 250 },
  })
})
