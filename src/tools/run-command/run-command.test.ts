import { spawn } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { JsonObject } from '../../core/text/json.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { type RunCommandOptions, runCommand } from './run-command.ts'

async function aWorkdir(): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  return workdir
}

interface Given extends RunCommandOptions {
  readonly workdir?: string
  readonly signal?: AbortSignal
  readonly toolNames?: readonly string[]
}

async function run(args: JsonObject, { workdir, signal, toolNames, ...options }: Given = {}): Promise<JsonObject> {
  const context = toolContext({
    workdir: workdir ?? tmpdir(),
    ...(signal && { abortSignal: signal }),
    ...(toolNames && { toolNames }),
  })
  return (await runCommand(options).execute(args, context)) as JsonObject
}

/** The pid that a command wrote, once it has. */
async function pidIn(file: string): Promise<number> {
  return await vi.waitFor(async () => {
    const pid = Number((await readFile(file, 'utf8')).trim())
    expect(pid).toBeGreaterThan(1)
    return pid
  })
}

/** A zombie that nobody reaps runs no more. */
async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return stat !== '' && !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')))
}

test('a command tells its exit code and what it printed', async () => {
  expect(await run({ command: 'echo out; echo err >&2' })).toEqual({
    exit_code: 0,
    signal: null,
    stdout: 'out\n',
    stderr: 'err\n',
  })
})

test('a command that fails is a result like any other', async () => {
  expect(await run({ command: 'exit 3' })).toMatchObject({ exit_code: 3, signal: null })
})

test('a command that a signal ends tells the signal', async () => {
  expect(await run({ command: 'kill -KILL $$' })).toMatchObject({ exit_code: null, signal: 'SIGKILL' })
})

test('a command runs in the working directory', async () => {
  const workdir = await aWorkdir()
  expect(await run({ command: 'pwd' }, { workdir })).toMatchObject({ stdout: `${workdir}\n` })
})

test('a command is read as bash reads it', async () => {
  expect(await run({ command: 'echo {a,b} <(:) | head -c 4' })).toMatchObject({ stdout: 'a b ' })
})

test('a command that begins with a hyphen is no option of the shell', async () => {
  expect(await run({ command: '--version' })).toMatchObject({ exit_code: 127, stdout: '' })
})

test('a command finds the idempotency key and the given environment', async () => {
  const environment = { PATH: process.env['PATH'], GIVEN: 'yes', ABSENT: undefined }
  const result = await run({ command: 'echo $HOLDPOINT_IDEMPOTENCY_KEY $GIVEN; env | grep -c ABSENT' }, { environment })
  expect(result).toMatchObject({ stdout: 'key-1 yes\n0\n' })
})

test('P1: a command finds in which run of which agent it runs, and not who started that', async () => {
  const environment = { PATH: process.env['PATH'], HOLDPOINT_ACTOR: 'ana', HOLDPOINT_WITHIN: 'agent:parent/run_0' }
  const result = await run({ command: 'echo "$HOLDPOINT_WITHIN,$HOLDPOINT_ACTOR"' }, { environment })
  expect(result).toMatchObject({ stdout: 'agent:tester/run_1,\n' })
})

test('a command finds no password of the store', async () => {
  const found = async (url: string) => {
    const environment = { PATH: process.env['PATH'], HOLDPOINT_STORE: url, HOLDPOINT_SUPERVISOR_STORE: url }
    return run({ command: 'env | grep _STORE' }, { environment })
  }
  expect(await found('postgres://ana:hush@db.example/runs')).toMatchObject({ exit_code: 1, stdout: '' })
  expect(await found('sqlite:/p/x.db')).toMatchObject({ stdout: 'HOLDPOINT_STORE=sqlite:/p/x.db\n' })
})

test('a command that reads its stdin finds nothing there', async () => {
  expect(await run({ command: 'wc -c' })).toMatchObject({ exit_code: 0, stdout: '0\n' })
})

test('P3: a command that cannot start says that nothing ran', async () => {
  const workdir = join(await aWorkdir(), 'gone')
  await expect(run({ command: 'echo hi' }, { workdir })).rejects.toMatchObject({
    code: 'COMMAND_NOT_STARTED',
    message: `The command could not be started: the working directory ${workdir} does not exist.`,
  })
  await expect(run({ command: `: ${'x'.repeat(200_000)}` })).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' })
  await expect(run({ command: 'echo \0' })).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' })
})

test('100 MB of output take no more memory than the part that is shown', async () => {
  let most = 0
  const before = process.memoryUsage().rss
  const sample = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before)
  }, 5)
  onTestFinished(() => clearInterval(sample))
  const result = await run({ command: 'head -c 100000000 /dev/zero | tr "\\0" x; echo end' })
  expect(String(result['stdout']).replaceAll(/x+/g, 'x…')).toBe('x…\n[… 99967236 bytes left out …]\nx…end\n')
  expect(most).toBeLessThan(80_000_000)
})

test('output that is no UTF-8 does not stop it', async () => {
  expect(await run({ command: "printf 'a\\xff\\xc3b'" })).toMatchObject({ stdout: 'a\uFFFD\uFFFDb' })
})

test('a child that keeps stdout open does not keep the result, and does not live on', async () => {
  const workdir = await aWorkdir()
  const began = performance.now()
  expect(await run({ command: 'sleep 30 & echo $! > pid; echo hi' }, { workdir })).toMatchObject({ stdout: 'hi\n' })
  expect(performance.now() - began).toBeLessThan(5000)
  await expect.poll(async () => runs(await pidIn(join(workdir, 'pid')))).toBe(false)
})

test('what a command left running is told to have ended with it, and tasks are named to an agent that has them', async () => {
  const command = 'sleep 30 >/dev/null 2>&1 & echo $! > /dev/null'
  const ended = 'What it left running in the background was ended with the command'
  expect(await run({ command })).toMatchObject({ exit_code: 0, background: `${ended}.` })
  const toolNames = ['run_command', 'run_command_task']
  expect(await run({ command }, { toolNames })).toMatchObject({
    background: `${ended}; use run_command_task for what must go on.`,
  })
})

test.skipIf(process.platform !== 'linux')('a daemon and a child that ended by itself are not told of', async () => {
  const workdir = await aWorkdir()
  const daemon =
    '(setsid sh -c "echo \\$\\$ > pid; exec sleep 30" >/dev/null 2>&1 &); until [ -s pid ]; do sleep 0.01; done'
  expect(await run({ command: daemon }, { workdir })).not.toHaveProperty('background')
  process.kill(await pidIn(join(workdir, 'pid')), 'SIGKILL')
  expect(await run({ command: 'true & wait' })).not.toHaveProperty('background')
})

test('a child that never stops printing does not keep the result', async () => {
  expect(await run({ command: 'yes & echo hi' })).toMatchObject({ exit_code: 0 })
})

test('what is printed right after the command ended is still seen', async () => {
  expect(await run({ command: '(sleep 0.05; echo late) & echo hi' })).toMatchObject({ stdout: 'hi\nlate\n' })
})

test('a child without any output does not live on either', async () => {
  const workdir = await aWorkdir()
  await run({ command: 'sleep 30 >/dev/null 2>&1 & echo $! > pid' }, { workdir })
  await expect.poll(async () => runs(await pidIn(join(workdir, 'pid')))).toBe(false)
})

test('a command that takes too long is stopped and keeps what it printed', async () => {
  const began = performance.now()
  expect(await run({ command: 'echo begun; sleep 30', timeout_seconds: 0.2 })).toEqual({
    exit_code: null,
    signal: 'SIGTERM',
    stdout: 'begun\n',
    stderr: '',
    timed_out: true,
  })
  expect(performance.now() - began).toBeLessThan(2000)
})

test('a command may tidy up when it is stopped', async () => {
  const command = "trap 'echo tidy; exit 0' TERM; echo begun; sleep 30 & wait"
  expect(await run({ command, timeout_seconds: 0.3 })).toMatchObject({ stdout: 'begun\ntidy\n', timed_out: true })
})

test('a command that ignores SIGTERM is killed with all its children', async () => {
  const workdir = await aWorkdir()
  const command = "trap '' TERM; echo $$ > shell; sleep 30 & echo $! > child; wait; sleep 30"
  const result = await run({ command, timeout_seconds: 0.3 }, { workdir })
  expect(result).toMatchObject({ signal: 'SIGKILL', timed_out: true })
  expect(await runs(await pidIn(join(workdir, 'shell')))).toBe(false)
  expect(await runs(await pidIn(join(workdir, 'child')))).toBe(false)
})

test.skipIf(process.platform !== 'linux').each([
  ['in a process group of its own', 'timeout 60 bash -c "echo \\$\\$ > pid; sleep 30"; true'],
  ['that is a job of its own', 'set -m; (echo $BASHPID > pid; exec sleep 30) & wait; true'],
  ['in a session of its own', 'setsid bash -c "echo \\$\\$ > pid; sleep 30"; true'],
  ['that made itself a daemon', '(setsid bash -c "echo \\$\\$ > pid; sleep 30" >/dev/null 2>&1 &); sleep 30'],
])('a stopped command leaves no child running %s', async (_, command) => {
  const workdir = await aWorkdir()
  const stop = new AbortController()
  const running = run({ command }, { workdir, signal: stop.signal })
  const pid = await pidIn(join(workdir, 'pid'))
  stop.abort()
  await expect(running).rejects.toMatchObject({ code: 'TOOL_CALL_INTERRUPTED' })
  expect(await runs(pid)).toBe(false)
})

test('an interrupted command tells what it had printed and that its effect may be partial', async () => {
  const workdir = await aWorkdir()
  const stop = new AbortController()
  const command = 'echo half done; echo careful >&2; echo $$ > pid; sleep 30'
  const running = run({ command }, { workdir, signal: stop.signal })
  const pid = await pidIn(join(workdir, 'pid'))
  stop.abort()
  const interrupted = await running.catch(thrown => thrown)
  expect(interrupted).toMatchObject({ code: 'TOOL_CALL_INTERRUPTED' })
  expect(interrupted.message).toMatch(/effect may be partial.*stdout:\nhalf done.*stderr:\ncareful/s)
  expect(await runs(pid)).toBe(false)
})

test('a command that was interrupted before it started has no effect', async () => {
  const workdir = await aWorkdir()
  const running = run({ command: 'touch effect' }, { workdir, signal: AbortSignal.abort() })
  await expect(running).rejects.toMatchObject({ code: 'TOOL_CALL_NOT_BEGUN' })
  await expect(readFile(join(workdir, 'effect'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('nothing runs on when the process exits in the middle of a command', async () => {
  const workdir = await aWorkdir()
  const module = (path: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href)
  const script = `
    import { toolContext } from ${module('../../testing/kit/tool-context.ts')}
    import { runCommand } from ${module('run-command.ts')}
    import { existsSync } from 'node:fs'
    const command = "trap '' TERM; sleep 30 & echo $! > child; echo $$ > shell; wait; wait"
    runCommand().execute({ command }, toolContext({ workdir: '.' }))
    setInterval(() => existsSync('shell') && process.exit(7), 10)`
  await writeFile(join(workdir, 'exits.ts'), script)
  const host = spawn(process.execPath, ['exits.ts'], { cwd: workdir, stdio: 'ignore' })
  expect(await new Promise(resolve => host.once('exit', resolve))).toBe(7)
  for (const file of ['shell', 'child']) {
    const pid = await pidIn(join(workdir, file))
    await expect.poll(() => runs(pid)).toBe(false)
  }
})

test('nothing stays behind in the process that ran the commands', async () => {
  const before = process.listenerCount('exit')
  await Promise.all(Array.from({ length: 12 }, () => run({ command: 'true' })))
  expect(process.listenerCount('exit')).toBe(before)
})

test('arguments that do not fit are told before anything runs', async () => {
  const { validate } = runCommand()
  expect(await validate({ command: 'ls', timeout_seconds: '5' })).toEqual({
    ok: false,
    issues: 'arguments.timeout_seconds: must be a number, not a string',
  })
  expect(await validate({ cmd: 'ls' })).toEqual({
    ok: false,
    issues:
      'arguments.command: is required; arguments.cmd: is not allowed; the properties are command, outside, keep, timeout_seconds',
  })
  expect(await validate({ command: 'ls', timeout_seconds: 4000 })).toMatchObject({ ok: false })
  expect(await validate({ command: 'ls' })).toEqual({ ok: true, value: { command: 'ls' } })
})

test('P1: a command that is no text permits nothing', async () => {
  expect(await runCommand().inspect?.({ command: 7 }, tmpdir())).toEqual({
    readings: { command: { as: null, among: ['7'] } },
    unclear: 'the command cannot be read: it is not text',
    protected: null,
  })
})
