import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { historyFaults } from './history-faults.ts'
import { isAlive, until } from './processes.ts'
import {
  aProject,
  CLI,
  command,
  effect,
  ended,
  type Finished,
  listed,
  type Project,
  runInOwnProcesses,
} from './project.ts'

afterAll(runInOwnProcesses())

const SIGNALS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
]

/** Starts a run that pauses for nothing, waits until `file` has a whole line, and sends the signal. */
async function stoppedOnce(project: Project, signal: NodeJS.Signals, file: string): Promise<Finished> {
  const child = project.start(['-a', '-o', 'json', 'go'])
  const finished = ended(child)
  await wroteLine(project, file)
  child.kill(signal)
  return finished
}

async function wroteLine(project: Project, file: string): Promise<void> {
  await until(async () => project.exists(file) && (await project.read(file)).endsWith('\n'))
}

async function pidsIn(project: Project, file: string): Promise<number[]> {
  return (await project.read(file)).trim().split(/\s+/).map(Number)
}

function expectInterrupted(finished: Finished, signal: string, exit: number): void {
  expect(finished).toMatchObject({
    exit,
    signal: null,
    stderr: '',
    json: {
      outcome: 'interrupted',
      error: { code: 'interrupted', message: expect.stringContaining(signal) },
      checkpoint_id: expect.stringMatching(/^cp_/),
      session_id: expect.stringMatching(/^th_/),
    },
  })
  expect(finished.json.error.hint).toContain(finished.json.checkpoint_id)
}

/** A shell, a child of it in the background, one that `timeout` puts into a group of its own, and the rest. */
const FAMILY = 'sleep 300 & a=$!; timeout 300 sleep 301 & b=$!; echo $$ $a $b > pids; wait; echo ended >> effects.log'

/** P3, P11: a command that was stopped may have had its effect, so -c asks what came of it. */
async function saidToHaveFailed(project: Project, checkpoint: string): Promise<Finished> {
  const doubt = await project.holdpoint('-c', checkpoint, '-o', 'json')
  expect(doubt).toMatchObject({ exit: 10, json: { pause_reason: { type: 'outcome_unknown' } } })
  const asked = await project.holdpoint('holds', '--json')
  expect(asked.json).toMatchObject([{ message: expect.stringContaining('its process was told to stop while it ran') }])
  return project.holdpoint('-c', doubt.json.checkpoint_id, '--reject', 'tc_1', '-o', 'json')
}

test.each(SIGNALS)(
  '%s during a command stops all of its processes, and -c asks what came of it',
  async (signal, exit) => {
    await using project = await aProject({
      script: [{ calls: [command('tc_1', FAMILY), effect('tc_2', 'second')] }, 'Done.'],
    })
    const stopped = await stoppedOnce(project, signal, 'pids')
    expectInterrupted(stopped, signal, exit)
    expect((await pidsIn(project, 'pids')).filter(isAlive)).toEqual([])
    expect(await project.effects()).toEqual([])

    const done = await saidToHaveFailed(project, stopped.json.checkpoint_id)
    expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Done.' } })
    expect(await project.effects()).toEqual(['second'])
    const messages = await project.messages(done.json.session_id)
    expect(historyFaults(messages)).toEqual([])
    expect(messages.find(message => message.tool_call_id === 'tc_1')).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/^TOOL_CALL_FAILED: /),
    })
  },
)

test('SIGTERM stops a command that ignores it as well', async () => {
  const stubborn = "trap '' TERM INT; echo $$ > pids; while :; do sleep 1; done"
  await using project = await aProject({ script: [{ calls: [command('tc_1', stubborn)] }, 'Done.'] })
  const stopped = await stoppedOnce(project, 'SIGTERM', 'pids')
  expectInterrupted(stopped, 'SIGTERM', 143)
  expect((await pidsIn(project, 'pids')).filter(isAlive)).toEqual([])
})

test.each(SIGNALS)('%s while the model thinks ends the request, and -c asks it again', async (signal, exit) => {
  await using server = await openOpenAiServer({ turns: ['Hello.'], fail: ['hang'] })
  await using project = await aProject({
    env: { HOLDPOINT_MODEL: 'openai/gpt-test', OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test' },
  })
  const child = project.start(['-a', '-o', 'json', 'go'])
  const finished = ended(child)
  await until(() => server.requests.length === 1)
  child.kill(signal)
  const stopped = await finished
  expectInterrupted(stopped, signal, exit)
  expect(server.requests[0]?.aborted).toBe(true)

  const done = await project.holdpoint('-c', stopped.json.checkpoint_id, '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Hello.', steps_taken: 1 } })
  expect(await project.messages(done.json.session_id)).toHaveLength(2)
})

test('SIGTERM while a scripted answer is slow leaves a run that -c goes on with', async () => {
  await using project = await aProject({ script: [{ text: 'Hello.', delay_ms: 300_000 }] })
  const child = project.start(['-a', '-o', 'stream-json', 'go'])
  const finished = ended(child)
  let told = ''
  child.stdout?.on('data', chunk => (told += chunk))
  await until(() => told.includes('"kind":"run.started"'))
  child.kill('SIGTERM')
  const { exit, stdout } = await finished
  const outcome = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  expect([exit, outcome.outcome]).toEqual([143, 'interrupted'])

  await project.write('script.json', JSON.stringify(['Hello.']))
  expect(await project.holdpoint('-c', outcome.checkpoint_id, '-o', 'json')).toMatchObject({ exit: 0 })
})

test('SIGTERM while the model is down ends the wait for the next try', async () => {
  await using server = await openOpenAiServer({
    turns: ['Hello.'],
    fail: [{ status: 429, headers: { 'retry-after': '50' } }],
  })
  await using project = await aProject({
    env: { HOLDPOINT_MODEL: 'openai/gpt-test', OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test' },
  })
  const child = project.start(['-a', '-o', 'json', '--verbose', 'go'])
  const finished = ended(child)
  await said(child, 'the model failed')
  child.kill('SIGTERM')
  const stopped = await finished
  expect(stopped).toMatchObject({ exit: 143, json: { outcome: 'interrupted' } })
  const done = await project.holdpoint('-c', stopped.json.checkpoint_id, '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Hello.' } })
})

test('SIGINT between two calls of a batch leaves the second one for later', async () => {
  // The first one ends by itself at once when it is told to; the second one would leave its mark.
  const first = command('tc_1', "trap 'echo stopped >> effects.log; exit 0' TERM; echo $$ > pids; sleep 300 & wait")
  await using project = await aProject({ script: [{ calls: [first, effect('tc_2', 'second')] }, 'Done.'] })
  const stopped = await stoppedOnce(project, 'SIGINT', 'pids')
  expectInterrupted(stopped, 'SIGINT', 130)
  expect(await project.effects()).toEqual(['stopped'])
  expect(await saidToHaveFailed(project, stopped.json.checkpoint_id)).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['stopped', 'second'])
})

test('a run that is interrupted keeps gating what it gated before', async () => {
  const script = [
    { calls: [command('tc_1', 'echo $$ > pids; sleep 300')] },
    { calls: [effect('tc_2', 'second')] },
    'Done.',
  ]
  await using project = await aProject({ script })
  const paused = await project.run(['-a', '--pause-on-approval', '-o', 'json', 'go'])
  const child = project.start(['-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json'])
  const finished = ended(child)
  await wroteLine(project, 'pids')
  child.kill('SIGTERM')
  const stopped = await finished
  expectInterrupted(stopped, 'SIGTERM', 143)

  const again = await saidToHaveFailed(project, stopped.json.checkpoint_id)
  expect(again).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  expect(await project.effects()).toEqual([])
})

/** Its tool neither ends nor listens. */
const DEAF = `
import { writeFileSync } from 'node:fs'
export const agent = {
  name: 'deaf',
  tools: [{
    name: 'wait', description: 'Waits', inputSchema: { type: 'object' }, idempotent: false, destructive: false,
    needsApproval: () => null,
    validate: value => ({ ok: true, value }),
    execute: () => {
      setInterval(() => {}, 1000)
      process.once('SIGINT', () => writeFileSync('heard', 'SIGINT\\n'))
      writeFileSync('pids', process.pid + '\\n')
      return new Promise(() => {})
    },
  }],
}
`

test('a second signal ends the process at once, and what it was doing is in doubt', async () => {
  await using project = await aProject({
    script: [{ calls: [{ id: 'tc_1', name: 'wait', args: {} }] }, 'Done.'],
    files: { 'deaf.mjs': DEAF },
  })
  const child = project.start(['-a', '--agent', 'deaf.mjs', '-o', 'json', 'go'])
  const finished = ended(child)
  await wroteLine(project, 'pids')
  child.kill('SIGINT')
  await wroteLine(project, 'heard')
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  const forced = await finished
  expectInterrupted(forced, 'SIGTERM', 143)

  const [{ checkpoint_id }] = (await project.holdpoint('runs', '--json')).json
  const doubt = await project.holdpoint('-c', checkpoint_id, '-o', 'json')
  expect(doubt).toMatchObject({ exit: 10, json: { pause_reason: { type: 'outcome_unknown' } } })
  expect(forced.json.checkpoint_id).toBe(checkpoint_id)
})

test('behind nohup a run goes on when its terminal is closed', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'echo $$ > pids; while [ ! -e go ]; do sleep 0.05; done')] }, 'Done.'],
  })
  const shell = 'nohup "$@" & echo $! > leader; wait $!'
  const words = ['-c', shell, 'bash', process.execPath, CLI, '-a', '-o', 'json', 'go']
  const child = spawn('bash', words, {
    cwd: project.directory,
    env: { ...project.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const finished = ended(child)
  await wroteLine(project, 'pids')
  const [leader = 0] = await pidsIn(project, 'leader')
  process.kill(leader, 'SIGHUP')
  await project.write('go', '')
  expect(await finished).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
})

test('behind nohup of a shell that notes nothing a run goes on when its terminal is closed', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'echo $$ > pids; while [ ! -e go ]; do sleep 0.05; done')] }, 'Done.'],
  })
  // As nohup leaves it in place of a terminal.
  const words = ['-c', 'unset _; exec "$@" 0>/dev/null', 'sh', process.execPath, CLI, '-a', '-o', 'json', 'go']
  const child = spawn('/bin/sh', words, {
    cwd: project.directory,
    env: { ...project.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const finished = ended(child)
  await wroteLine(project, 'pids')
  child.kill('SIGHUP')
  await project.write('go', '')
  expect(await finished).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
})

test('a second signal leaves nothing of the command behind', async () => {
  const stubborn = "trap 'echo heard > heard' TERM; echo $$ > pids; while :; do sleep 0.1; done"
  await using project = await aProject({ script: [{ calls: [command('tc_1', stubborn)] }, 'Done.'] })
  const child = project.start(['-a', '-o', 'json', 'go'])
  const finished = ended(child)
  await wroteLine(project, 'pids')
  child.kill('SIGINT')
  await wroteLine(project, 'heard')
  child.kill('SIGTERM')
  expect((await finished).exit).toBe(143)
  expect((await pidsIn(project, 'pids')).filter(isAlive)).toEqual([])
})

test.each(SIGNALS)(
  '%s while a server of the project is slow to start ends with a document, and no run',
  async (signal, exit) => {
    const mcp_servers = { slow: { command: 'sh', args: ['-c', 'echo $$ > pids; exec sleep 300'] } }
    await using project = await aProject({ script: ['Done.'], config: { mcp_servers } })
    await project.holdpoint('trust', '--yes')
    const stopped = await stoppedOnce(project, signal, 'pids')
    expect(stopped).toMatchObject({
      exit,
      signal: null,
      json: { outcome: 'failed', error: { code: 'interrupted' }, run_id: null },
    })
    await until(async () => !(await pidsIn(project, 'pids')).some(isAlive))
    expect(project.exists('.holdpoint', 'holdpoint.db')).toBe(false)
  },
)

test('SIGTERM while nobody is asked yet leaves nothing half done', async () => {
  await using project = await aProject({ script: ['Hello.'] })
  const finished = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const child = project.start(['-a', '-o', 'json', 'go'])
      const done = ended(child)
      // Whenever it comes, from before the first line of the program to after the last.
      await new Promise(resolve => setTimeout(resolve, index * 25))
      child.kill('SIGTERM')
      return done
    }),
  )
  // A signal that comes before the program listens ends it without a word.
  const told = finished.filter(({ signal, stdout }) => signal !== 'SIGTERM' || stdout !== '')
  for (const { exit, stdout } of told) {
    const { outcome, error } = JSON.parse(stdout)
    // Before the run began it has failed, and afterwards it is interrupted; both say by what.
    expect([exit ?? 0, error?.code ?? outcome]).toEqual(error ? [143, 'interrupted'] : [0, 'completed'])
  }
  for (const { checkpoint_id, status } of await listed(project, 'runs')) {
    if (status === 'done') continue
    expect(await project.holdpoint('-c', checkpoint_id, '-o', 'json')).toMatchObject({ exit: 0 })
  }
})

async function said(child: ChildProcess, text: string): Promise<void> {
  let heard = ''
  child.stderr?.on('data', chunk => (heard += chunk))
  await until(() => heard.includes(text))
}
