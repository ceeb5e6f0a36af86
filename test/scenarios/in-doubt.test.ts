import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHoldpoint } from '../../src/index.ts'
import { historyFaults } from './history-faults.ts'
import { journalOf } from './journal.ts'
import { overStdio } from './mcp/mcp-process.ts'
import { isAlive, until } from './processes.ts'
import { aProject, CLI, command, effect, ended, type Project } from './project.ts'
import { aServer } from './server/server-process.ts'

const START = ['-a', '--pause-on-approval', '-o', 'json', 'go']
const PRELOAD = resolve(import.meta.dirname, 'crash-at-commit.mjs')
const BEFORE_ITS_RESULT = 'before:append(call.finished, step.ended, checkpoint.named)'

/** A project whose process was killed outright while the command of `tc_1` was running. */
async function killedInTheMiddle(): Promise<{ project: Project; checkpoint: string }> {
  const slow = command('tc_1', 'echo begun >> effects.log; echo $$ > pid; sleep 300; echo ended >> effects.log')
  const project = await aProject({ script: [{ calls: [slow, effect('tc_2', 'second')] }, 'Done.'] })
  const paused = await project.run(START)
  const checkpoint: string = paused.json.checkpoint_id
  const child = project.start(['-c', checkpoint, '--approve', 'tc_1', '--approve', 'tc_2', '-o', 'json'])
  const finished = ended(child)
  await until(async () => project.exists('pid') && (await project.read('pid')).endsWith('\n'))
  child.kill('SIGKILL')
  // Nobody is left to stop what the dead process had started.
  process.kill(-Number(await project.read('pid')), 'SIGKILL')
  expect(await finished).toMatchObject({ signal: 'SIGKILL', stdout: '' })
  return { project, checkpoint }
}

async function askedWhatHappened(project: Project, checkpoint: string, ...more: string[]): Promise<string> {
  const doubt = await project.holdpoint('-c', checkpoint, ...more, '-o', 'json')
  expect(doubt).toMatchObject({
    exit: 10,
    stderr: '',
    json: {
      outcome: 'paused',
      pause_reason: {
        type: 'outcome_unknown',
        pending_tool_calls: [
          { id: 'tc_1', in_doubt: true, requires_approval: true, hold_id: expect.stringMatching(/^hold_/) },
          { id: 'tc_2', requires_approval: false },
        ],
      },
      resume_hint: expect.stringContaining('--reject tc_1'),
    },
  })
  expect(doubt.json.pause_reason.pending_tool_calls[1]).not.toHaveProperty('in_doubt')
  return doubt.json.checkpoint_id
}

test('P3: a command that was running when its process was killed becomes a hold in doubt, and nothing runs', async () => {
  const { project, checkpoint } = await killedInTheMiddle()
  await using _ = project
  await askedWhatHappened(project, checkpoint)
  expect(await project.effects()).toEqual(['begun'])
})

test('P3: the repeated approval of what was running does not run it again', async () => {
  const { project, checkpoint } = await killedInTheMiddle()
  await using _ = project
  await askedWhatHappened(project, checkpoint, '--approve', 'tc_1', '--approve', 'tc_2')
  expect(await project.effects()).toEqual(['begun'])
})

test('a hold in doubt is not decided by --approve-all or --reject-all', async () => {
  const { project, checkpoint } = await killedInTheMiddle()
  await using _ = project
  const doubt = await askedWhatHappened(project, checkpoint)
  for (const flag of ['--approve-all', '--reject-all']) {
    const refused = await project.holdpoint('-c', doubt, flag, '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code: 'nothing_to_decide' } } })
  }
  expect(await project.effects()).toEqual(['begun'])
})

test('--reject says that what was in doubt failed, and the rest of its batch runs', async () => {
  const { project, checkpoint } = await killedInTheMiddle()
  await using _ = project
  const doubt = await askedWhatHappened(project, checkpoint)
  const done = await project.holdpoint('-c', doubt, '--reject', 'tc_1', '--reason', 'it broke', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Done.' } })
  expect(await project.effects()).toEqual(['begun', 'second'])
  const messages = await project.messages(done.json.session_id)
  expect(historyFaults(messages)).toEqual([])
  expect(messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant' },
    { tool_call_id: 'tc_1', is_error: true, content: 'TOOL_CALL_FAILED: it broke' },
    { tool_call_id: 'tc_2', is_error: false },
    { role: 'assistant', content: 'Done.' },
  ])
})

test('--answer says that what was in doubt happened, and gives its result', async () => {
  const { project, checkpoint } = await killedInTheMiddle()
  await using _ = project
  const doubt = await askedWhatHappened(project, checkpoint)
  const done = await project.holdpoint('-c', doubt, '--answer', 'tc_1=it is there, I looked', '-o', 'json')
  expect(done).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['begun', 'second'])
  const results = (await project.messages(done.json.session_id)).filter(message => message.role === 'tool')
  expect(results).toMatchObject([
    { tool_call_id: 'tc_1', is_error: false, content: 'it is there, I looked' },
    { tool_call_id: 'tc_2', is_error: false },
  ])
})

test('P3: where the run is cancelled instead, the call is not said to have had no effect', async () => {
  const { project } = await killedInTheMiddle()
  await using _ = project
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  const [run] = await holdpoint.runs()
  const { run: ended } = await holdpoint.cancel(run?.id ?? '', { by: 'ana' })
  const results = ended.messages.filter(message => message.role === 'tool')
  expect(results.map(({ content }) => content)).toEqual([
    'OUTCOME_UNKNOWN: ana cancelled the run; it had started, so it may have had its effect.',
    'TOOL_CALL_CANCELLED: ana cancelled the run; it did not run.',
  ])
})

test('--approve runs again what was in doubt, as its second attempt with the same idempotency key', async () => {
  const script = [{ calls: [command('tc_1', 'echo "$HOLDPOINT_IDEMPOTENCY_KEY" >> effects.log')] }, 'Done.']
  await using project = await aProject({ script })
  const { checkpoint_id } = (await project.run(START)).json
  const approve = ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  // Killed when the command has run and its result is about to be written.
  const killed = await project.run(approve, { node: ['--import', PRELOAD], env: { CRASH_AT: BEFORE_ITS_RESULT } })
  expect(killed.signal).toBe('SIGKILL')
  expect(await project.effects()).toHaveLength(1)

  const doubt = await project.run(['-c', checkpoint_id, '-o', 'json'])
  expect(doubt).toMatchObject({ exit: 10, json: { pause_reason: { type: 'outcome_unknown' } } })
  const done = await project.run(['-c', doubt.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json'])
  expect(done).toMatchObject({ exit: 0 })
  const [first, second, ...more] = await project.effects()
  expect(first).toMatch(/tc_1/)
  expect([second, ...more]).toEqual([first])
  const attempts = journalOf(project).filter(({ kind }) => kind === 'call.started')
  expect(attempts.map(({ data }) => data.attempt)).toEqual([1, 2])
})

/** An agent that was killed outright while the command of `tc_1` runs: that goes on until there is a file `go`. */
async function killedBesideItsCommand(): Promise<{ project: Project; doubt: string }> {
  const slow = command(
    'tc_1',
    'echo $$ > pid; echo begin >> effects.log; until test -e go || ! test -e pid; do sleep 0.05; done; echo end >> effects.log',
  )
  const project = await aProject({ script: [{ calls: [slow] }, 'Done.'] })
  const { checkpoint_id: checkpoint } = (await project.run(START)).json
  const child = project.start(['-c', checkpoint, '--approve', 'tc_1', '-o', 'json'])
  const finished = ended(child)
  await until(async () => (await project.effects()).length === 1)
  const pid = Number(await project.read('pid'))
  child.kill('SIGKILL')
  await finished
  // Also a story that fails leaves no command behind.
  onTestFinished(() => stopGroup(pid))
  const asked = await project.holdpoint('-c', checkpoint, '-o', 'json')
  expect(asked).toMatchObject({ exit: 10, json: { pause_reason: { type: 'outcome_unknown' } } })
  return { project, doubt: asked.json.checkpoint_id }
}

function stopGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

test('P3: a command that outlived its agent is told as still running, and is not run again beside itself', async () => {
  const { project, doubt } = await killedBesideItsCommand()
  await using _ = project
  const paused = await project.holdpoint('-c', doubt)
  expect(paused.stdout).toMatch(/While tc_1 still runs: `holdpoint holds wait hold_/)
  const [listed] = (await project.holdpoint('holds', '--json')).json
  const running = {
    standing: 'running',
    text: expect.stringMatching(/still running \(process \d+ on .+, since 20.+Wait for its end, stop it, or leave it/),
  }
  expect(listed).toMatchObject({ message: expect.stringContaining('was still running'), still_running: running })
  expect((await project.holdpoint('show', 'tc_1', '--json')).json.still_running).toEqual(listed.still_running)
  expect((await project.holdpoint('show', 'tc_1')).stdout.replaceAll(/\s+/g, ' ')).toContain(listed.still_running.text)

  for (const way of [
    ['-c', doubt, '--approve', 'tc_1', '-o', 'json'],
    ['approve', listed.id, '--json'],
  ]) {
    const refused = await project.holdpoint(...way)
    expect(refused).toMatchObject({ exit: 2 })
    expect(refused.stdout).toContain('still_running')
  }
  expect(await project.effects()).toEqual(['begin'])

  await project.write('go', '')
  await until(async () => (await project.effects()).length === 2)
  await until(async () => (await project.holdpoint('show', 'tc_1', '--json')).json.still_running.standing === 'ended')
  const after = (await project.holdpoint('show', 'tc_1', '--json')).json.still_running
  expect(after).toMatchObject({ last_status: 0, text: expect.stringContaining('its exit code if it came to its end') })
  const done = await project.holdpoint('-c', doubt, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['begin', 'end', 'begin', 'end'])
})

test('a person waits for the end of a command that outlived its agent, and says then what came of it', async () => {
  const { project, doubt } = await killedBesideItsCommand()
  await using _ = project
  const waiting = project.start(['holds', 'wait', 'tc_1', '--json'])
  const waited = ended(waiting)
  await project.write('go', '')
  const { exit, stdout } = await waited
  expect([exit, await project.effects()]).toEqual([0, ['begin', 'end']])
  expect(JSON.parse(stdout)).toMatchObject({
    hold_status: 'open',
    still_running: { standing: 'ended', last_status: 0 },
  })
  const shown = await project.holdpoint('holds', 'wait', 'tc_1')
  expect(shown).toMatchObject({ exit: 0, stdout: expect.stringContaining('holdpoint answer hold_') })
  const done = await project.holdpoint('-c', doubt, '--answer', 'tc_1=it came to its end', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['begin', 'end'])
})

test('P11: what a command prints outlives its agent, and is shown with its hold', async () => {
  const loop =
    'echo $$ > pid; echo first; until test -e go || ! test -e pid; do sleep 0.05; done; echo second; echo oops >&2; exit 3'
  await using project = await aProject({ script: [{ calls: [command('tc_1', loop)] }, 'Done.'] })
  const { checkpoint_id: checkpoint, session_id: session } = (await project.run(START)).json
  const child = project.start(['-c', checkpoint, '--approve', 'tc_1', '-o', 'json'])
  const finished = ended(child)
  const kept = `/tmp/holdpoint-${process.getuid?.()}/calls/${encodeURIComponent(`${session}/tc_1`)}+output`
  await until(() => existsSync(kept))
  const pid = Number(await project.read('pid'))
  onTestFinished(() => {
    stopGroup(pid)
    rmSync(kept, { force: true })
  })
  child.kill('SIGKILL')
  await finished
  expect(await project.holdpoint('-c', checkpoint, '-o', 'json')).toMatchObject({ exit: 10 })
  await project.write('go', '')
  const waited = await project.holdpoint('holds', 'wait', 'tc_1')
  expect(waited.stdout).toMatch(/The last status of its shell was 3:/)
  await until(async () => (await printedNow(project)).stderr !== '')
  expect(await printedNow(project)).toEqual({ stdout: 'first\nsecond\n', stderr: 'oops\n' })
  expect((await project.holdpoint('show', 'tc_1')).stdout).toMatch(/it printed on stdout:\n {6}first\n {6}second\n/)
})

async function printedNow(project: Project): Promise<{ stdout: string; stderr: string }> {
  return (await project.holdpoint('show', 'tc_1', '--json')).json.still_running.printed
}

test('P10: a person stops a command that outlived its agent, on record, and then it runs again alone', async () => {
  const { project, doubt } = await killedBesideItsCommand()
  await using _ = project
  const pid = Number(await project.read('pid'))
  expect((await project.holdpoint('show', 'tc_1')).stdout).toMatch(/holdpoint holds wait hold_.+\n.*holds stop hold_/)
  const agent = await project.run(['holds', 'stop', 'tc_1'], { env: { HOLDPOINT_ACTOR: 'agent:x' } })
  expect(agent).toMatchObject({ exit: 2, stderr: expect.stringContaining('agent:x') })
  expect(isAlive(pid)).toBe(true)
  const stopped = await project.holdpoint('holds', 'stop', 'tc_1', '--json')
  expect(stopped).toMatchObject({ exit: 0, json: { hold_status: 'open', still_running: { standing: 'ended' } } })
  expect(isAlive(pid)).toBe(false)
  expect(await project.holdpoint('holds', 'stop', 'tc_1')).toMatchObject({ exit: 0 })
  const records = (await project.holdpoint('audit', '--kind', 'command.stopped', '--json')).stdout.trim().split('\n')
  expect(records.map(line => JSON.parse(line))).toMatchObject([
    { actor: 'ana', surface: 'cli', call_id: 'tc_1', data: { process: expect.stringContaining(`:${pid}:`) } },
  ])
  await project.write('go', '')
  const done = await project.holdpoint('-c', doubt, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['begin', 'begin', 'end'])
})

test('what became of a command that outlived its agent can be said while it runs: it is left', async () => {
  const { project, doubt } = await killedBesideItsCommand()
  await using _ = project
  const done = await project.holdpoint('-c', doubt, '--reject', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  const late = await project.holdpoint('holds', 'stop', 'tc_1', '--json')
  expect(late).toMatchObject({ exit: 2, json: { error: { code: 'nothing_started' } } })
  await project.write('go', '')
  await until(async () => (await project.effects()).length === 2)
  expect(await project.effects()).toEqual(['begin', 'end'])
})

test('P8: a server and MCP clients wait for a command that outlived its agent, and stop it', async () => {
  const { project } = await killedBesideItsCommand()
  await using _ = project
  const pid = Number(await project.read('pid'))
  const [{ id }] = (await project.holdpoint('holds', '--json')).json
  await using mcp = await overStdio(project, 'latest')
  const wait = { name: 'wait_for_started', arguments: { hold_id: id, timeout_seconds: 0 } }
  expect((await mcp.client.callTool(wait)).structuredContent).toMatchObject({ still_running: { standing: 'running' } })
  await using server = await aServer(project)
  const post = await server.send(`/v1/holds/${id}/stop`, { body: {} })
  expect(post).toMatchObject({ status: 200, json: { id, still_running: { standing: 'ended' } } })
  expect(isAlive(pid)).toBe(false)
  const stop = { name: 'stop_started', arguments: { hold_id: id } }
  expect((await mcp.client.callTool(stop)).structuredContent).toMatchObject({ still_running: { standing: 'ended' } })
  expect(await project.effects()).toEqual(['begin'])
})

test.each([
  ['came to its end', 'touch go', 3],
  ['was cut off by a signal', 'kill -- -$(cat pid)', expect.any(Number)],
])(
  'P11: a command that outlived its agent and %s is asked about, with what is known of it',
  async (_how, act, status) => {
    const loop = 'true; until test -e go; do sleep 0.05; done; exit 3'
    const left = command('tc_1', `echo begin >> effects.log; echo $$ > pid; ${loop}`)
    await using project = await aProject({ script: [{ calls: [left] }, 'Done.'] })
    const { checkpoint_id: checkpoint } = (await project.run(START)).json
    const child = project.start(['-c', checkpoint, '--approve', 'tc_1', '-o', 'json'])
    const finished = ended(child)
    await until(async () => project.exists('pid') && (await project.read('pid')).endsWith('\n'))
    const pid = Number(await project.read('pid'))
    child.kill('SIGKILL')
    await finished
    spawnSync('bash', ['-c', act], { cwd: project.directory })
    await until(() => !isAlive(pid))
    expect(await project.holdpoint('-c', checkpoint, '-o', 'json')).toMatchObject({ exit: 10 })
    expect((await project.holdpoint('show', 'tc_1', '--json')).json.still_running).toMatchObject({
      standing: 'ended',
      last_status: status,
      text: expect.stringContaining('if a signal ended it'),
    })
    expect(await project.effects()).toEqual(['begin'])
  },
)

const STALLED = `
import { appendFileSync } from 'node:fs'
export const agent = {
  name: 'stalled',
  tools: [{
    name: 'stall', description: 'Never settles', inputSchema: { type: 'object' }, idempotent: false, destructive: false,
    needsApproval: () => false,
    validate: value => ({ ok: true, value }),
    execute() {
      appendFileSync('effects.log', 'begun\\n')
      return new Promise(() => {})
    },
  }],
}
`

test('P4: a tool that never settles and holds nothing open ends with a document, and its call is in doubt', async () => {
  const script = [{ calls: [{ id: 'tc_1', name: 'stall', args: {} }] }, 'Done.']
  await using project = await aProject({ script, files: { 'stalled.mjs': STALLED } })
  const stopped = await project.holdpoint('--agent', 'stalled.mjs', '-a', '-o', 'json', 'go')
  expect(stopped).toMatchObject({ exit: 130, json: { outcome: 'interrupted', error: { code: 'interrupted' } } })
  const doubt = await project.holdpoint('-c', stopped.json.checkpoint_id, '-o', 'json')
  expect(doubt).toMatchObject({ exit: 10, json: { pause_reason: { type: 'outcome_unknown' } } })
  expect(await project.effects()).toEqual(['begun'])
})

/** A tool of a user, which writes down each key that it is given. */
const KEEPER = `
import { appendFileSync } from 'node:fs'
export const agent = {
  name: 'keeper',
  tools: [{
    name: 'keep', description: 'Keeps a word', inputSchema: { type: 'object' }, idempotent: true, destructive: false,
    needsApproval: () => true,
    validate: value => ({ ok: true, value }),
    async execute({ word }, { idempotencyKey }) {
      appendFileSync('effects.log', word + ' ' + idempotencyKey + '\\n')
      return { kept: word }
    },
  }],
}
`

test('P3: a call that says it is idempotent runs again by itself, with the same idempotency key', async () => {
  const script = [{ calls: [{ id: 'tc_1', name: 'keep', args: { word: 'gold' } }] }, 'Done.']
  await using project = await aProject({ script, files: { 'keeper.mjs': KEEPER } })
  const { checkpoint_id } = (await project.run(['--agent', 'keeper.mjs', ...START])).json
  const approve = ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  const killed = await project.run(approve, { node: ['--import', PRELOAD], env: { CRASH_AT: BEFORE_ITS_RESULT } })
  expect(killed.signal).toBe('SIGKILL')

  const done = await project.run(['-c', checkpoint_id, '-o', 'json'])
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  const [first, second, ...more] = await project.effects()
  expect(first).toMatch(/^gold \S+tc_1/)
  expect([second, ...more]).toEqual([first])
})

test('P3: a write_file that was cut off is written again without asking', async () => {
  const write = { id: 'tc_1', name: 'write_file', args: { path: 'kept.txt', content: 'gold' } }
  await using project = await aProject({ script: [{ calls: [write] }, 'Done.'] })
  const { checkpoint_id } = (await project.run(START)).json
  const approve = ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  const killed = await project.run(approve, {
    node: ['--import', PRELOAD],
    env: { CRASH_AT: 'after:append(call.started)' },
  })
  expect([killed.signal, project.exists('kept.txt')]).toEqual(['SIGKILL', false])

  expect(await project.run(['-c', checkpoint_id, '-o', 'json'])).toMatchObject({ exit: 0 })
  expect(await project.read('kept.txt')).toBe('gold')
  const kinds = journalOf(project).map(({ kind }) => kind)
  expect(kinds.filter(kind => kind === 'call.started' || kind === 'call.finished')).toEqual([
    'call.started',
    'call.started',
    'call.finished',
  ])
})

test('P7: the lease of a process that was killed is taken over at once', async () => {
  const { project, checkpoint } = await killedInTheMiddle()
  await using _ = project
  const [left] = (await project.holdpoint('runs', '--json')).json
  expect(left.advancing_by).toContain(':')
  // An owner who might still be there would be answered with exit 2 and `busy`.
  await askedWhatHappened(project, checkpoint)
})

test('P7: the lease of a process that is still there is not taken over', async () => {
  const slow = command('tc_1', 'echo $$ > pid; sleep 300')
  await using project = await aProject({ script: [{ calls: [slow] }, 'Done.'] })
  const { checkpoint_id } = (await project.run(START)).json
  const child = project.start(['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json'])
  const finished = ended(child)
  await until(async () => project.exists('pid') && (await project.read('pid')).endsWith('\n'))
  const second = await project.holdpoint('-c', checkpoint_id, '-o', 'json')
  expect(second).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code: 'busy' } } })
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect((await finished).exit).toBe(143)
  expect(isAlive(Number(await project.read('pid')))).toBe(false)
})

/** A container of its own, as far as processes go: it sees none of those outside. */
const APART = ['unshare', '--pid', '--fork', '--mount-proc']
const mayPutApart = spawnSync(APART[0] ?? '', [...APART.slice(1), 'true']).status === 0

test.skipIf(!mayPutApart)(
  'P7: the lease of a process in another container is not taken over (skipped where no container can be made)',
  async () => {
    const slow = command('tc_1', 'echo begun >> effects.log; sleep 300')
    await using project = await aProject({ script: [{ calls: [slow] }, 'Done.'] })
    const { checkpoint_id } = (await project.run(START)).json
    const child = project.start(['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json'])
    const finished = ended(child)
    await until(async () => (await project.effects()).length === 1)
    const [unshare = '', ...flags] = APART
    const apart = spawn(unshare, [...flags, process.execPath, CLI, '-c', checkpoint_id, '-o', 'json'], {
      cwd: project.directory,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(await ended(apart)).toMatchObject({ exit: 2, json: { error: { code: 'busy' } } })
    child.kill('SIGTERM')
    expect((await finished).exit).toBe(143)
  },
)

const ON_B = { env: { HOLDPOINT_HOST: 'b' } }

/** A call that was begun by a process of host a, and that process. */
async function begunOnA(project: Project): Promise<{ run: string; checkpoint: string; child: ChildProcess }> {
  const { run_id, checkpoint_id } = (await project.run(START)).json
  const words = ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  const child = project.start(words, { env: { HOLDPOINT_HOST: 'a' } })
  await until(async () => (await project.effects()).length === 1)
  return { run: run_id, checkpoint: checkpoint_id, child }
}

test('P7: a person frees a run whose host is gone, on record, and its call is in doubt', async () => {
  const slow = command('tc_1', 'echo begun >> effects.log; for i in $(seq 600); do [ -e go ] && exit; sleep 0.1; done')
  await using project = await aProject({ script: [{ calls: [slow] }, 'Done.'] })
  const { run, checkpoint, child } = await begunOnA(project)
  const alive = await project.run(['runs', 'release', run, '--json'], { env: { HOLDPOINT_HOST: 'a' } })
  expect(alive).toMatchObject({ exit: 2, json: { error: { code: 'owner_alive' } } })
  child.kill('SIGKILL')
  await ended(child)
  const { error, ...busy } = (await project.run(['-c', checkpoint, '-o', 'json'], ON_B)).json
  expect([busy.outcome, error.code]).toEqual(['refused', 'busy'])
  expect(error.message).toMatch(/\(a\/.*, until \d\d:\d\d:\d\d UTC or longer\)/)
  const agent = await project.run(['runs', 'release', run], { env: { ...ON_B.env, HOLDPOINT_ACTOR: 'agent:x' } })
  expect(agent).toMatchObject({ exit: 2, stderr: expect.stringContaining('is an agent') })
  const released = await project.run(['runs', 'release', run, '--json'], ON_B)
  expect(released).toMatchObject({ exit: 0, json: { run_id: run, owner: expect.stringMatching(/^a\//) } })
  const again = await project.run(['runs', 'release', run, '--json'], ON_B)
  expect(again).toMatchObject({ exit: 2, json: { error: { code: 'not_leased' } } })
  const { stdout } = await project.holdpoint('audit', '--json')
  expect(stdout).toMatch(new RegExp(`"kind":"lease.released".*"run_id":"${run}".*"actor":"ana","surface":"cli"`))
  const doubt = await project.run(['-c', checkpoint, '--pause-on-approval', '-o', 'json'], ON_B)
  expect(doubt).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ in_doubt: true }] } } })
  expect(await project.effects()).toEqual(['begun'])
  await project.write('go', '')
})

test('P7: a server frees a run whose host is gone for who may, on record, and nobody else', async () => {
  const slow = command('tc_1', 'echo begun >> effects.log; for i in $(seq 600); do [ -e go ] && exit; sleep 0.1; done')
  await using project = await aProject({ script: [{ calls: [slow] }, 'Done.'] })
  const { run, child } = await begunOnA(project)
  child.kill('SIGKILL')
  await ended(child)
  const viewer = (await project.holdpoint('tokens', 'add', 'vera', '--role', 'viewer')).stdout.trim()
  await using server = await aServer(project, '--no-work')
  const release = (id: string, sent = {}) => server.send(`/v1/runs/${id}/release`, { body: {}, ...sent })
  expect(await release(run, { token: viewer })).toMatchObject({ status: 403 })
  expect(await release('run_0000000000000000')).toMatchObject({ status: 404, json: { code: 'unknown_run' } })
  const released = await release(run)
  expect(released).toMatchObject({ status: 200, json: { run_id: run, owner: expect.stringMatching(/^a\//) } })
  expect(await release(run)).toMatchObject({ status: 409, json: { code: 'not_leased' } })
  const { stdout } = await project.holdpoint('audit', '--json')
  const records = stdout.split('\n').filter(line => line.includes('"kind":"lease.released"'))
  expect(records.map(line => JSON.parse(line))).toMatchObject([{ run_id: run, surface: expect.any(String) }])
  await project.write('go', '')
})
