import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isAlive, until } from '../processes.ts'
import { ana, aTaskPlace, pidIn, processesOf, type TaskPlace } from './task-place.ts'

const sh = (script: string): readonly string[] => ['sh', '-c', script]

test('how a process ends is what becomes of its task, and 10 means that somebody is needed', async () => {
  await using place = await aTaskPlace()
  const ends: readonly (readonly [
    argv: readonly string[],
    status: string,
    exit: number | null,
    signal: string | null,
  ])[] = [
    [['true'], 'completed', 0, null],
    [sh('exit 1'), 'failed', 1, null],
    [sh('exit 10'), 'paused', 10, null],
    [sh('kill -KILL $$'), 'failed', null, 'SIGKILL'],
    // Nothing on the way to it made it deaf.
    [sh('kill -INT $$; exit 7'), 'failed', null, 'SIGINT'],
  ]
  const ended = await Promise.all(ends.map(([argv]) => place.run(argv)))
  expect(ended.map(({ status, invocation }) => [status, invocation.exit_code, invocation.signal])).toEqual(
    ends.map(([, ...end]) => end),
  )
  for (const { invocation } of ended) {
    expect(invocation).toMatchObject({
      n: 1,
      error: null,
      stdout_bytes: 0,
      stderr_bytes: 0,
      by: 'ana',
      surface: 'test',
    })
    expect(Date.parse(String(invocation.ended_at))).toBeGreaterThanOrEqual(Date.parse(String(invocation.started_at)))
  }
})

test('a command that cannot be started is a failed task that says why', async () => {
  await using place = await aTaskPlace()
  const [unknown, nowhere, long] = await Promise.all([
    place.run(['no-such-program']),
    place.run(['true'], { workdir: place.file('gone') }),
    place.run(['true', ...Array.from({ length: 40 }, () => 'x'.repeat(100_000))]),
  ])
  expect(unknown).toMatchObject({ status: 'failed', invocation: { exit_code: null, process: null, started_at: null } })
  expect(unknown.invocation.error).toEqual({
    code: 'not_started',
    message: 'The command could not be started: there is no program "no-such-program".',
  })
  expect(nowhere.invocation.error?.message).toContain(`the working directory ${place.file('gone')} does not exist`)
  expect(long.invocation.error?.message).toContain('too long for this system')
})

test('where no supervisor can be started, the task is failed, and that is said', async () => {
  await using place = await aTaskPlace()
  const environment = { BIG: 'x'.repeat(4_000_000) }
  const task = await place.start(['true'], { environment })
  expect(task).toMatchObject({ status: 'failed', invocation: { error: { code: 'not_started' } } })
  expect(task.invocation.error?.message).toMatch(/^The supervisor of the task could not be started: .*E2BIG/)
})

test('words full of shell syntax are words, and nothing else', async () => {
  await using place = await aTaskPlace()
  const words = ['$(touch x)', '; touch y #', '`touch z`', 'it\'s\n"quoted"', '', '*', '$HOME', '-n', '😀', '\\', '&']
  const task = await place.run(['printf', '<%s>', ...words])
  expect(await place.printed(task)).toBe(words.map(word => `<${word}>`).join(''))
  expect(task.invocation.argv).toEqual(['printf', '<%s>', ...words])
  expect(['x', 'y', 'z'].filter(name => place.has(name))).toEqual([])
})

test('stdout and stderr are kept apart, and what is no text becomes visible', async () => {
  await using place = await aTaskPlace()
  const task = await place.run(sh(String.raw`printf 'a\377\200b\303'; printf 'c\303\244' >&2`))
  expect(await place.printed(task)).toBe('a\ufffd\ufffdb\ufffd')
  expect(await place.printed(task, 'stderr')).toBe('cä')
  expect(task.invocation).toMatchObject({ stdout_bytes: 5, stderr_bytes: 3 })
})

test('of 100 MB the beginning and the end are kept, and its supervisor stays small', async () => {
  await using place = await aTaskPlace()
  const count = 'i=0; while [ $i -lt 1 ]; do echo begin; head -c 100000000 /dev/zero; echo; echo end; i=1; done'
  const task = await place.start(sh(count))
  let peak = 0
  for (let now = task; now.status === 'pending' || now.status === 'running'; now = (await place.tasks.task(task.id))!) {
    peak = Math.max(peak, peakMemory(pidIn(now.invocation.supervisor)))
    await delay(10)
  }
  const ended = await place.rested(task)
  const size = 100_000_000 + 'begin\n\nend\n'.length
  expect(ended).toMatchObject({ status: 'completed', invocation: { stdout_bytes: size } })
  expect((await place.tasks.output(task.id, { stream: 'stdout', limit: 10 })).text).toBe('begin\n\0\0\0\0')
  const end = await place.tasks.output(task.id, { stream: 'stdout', from: -6 })
  expect(end).toEqual({ text: '\0\nend\n', from: size - 6, next: size, size, missing: 0 })
  const kept = join(place.directory, 'tasks', task.id, '1')
  const bytes = readdirSync(kept).map(name => statSync(join(kept, name)).size)
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(1.3 * 1024 * 1024)
  const { missing } = await place.tasks.output(task.id, { stream: 'stdout', from: 300_000, limit: 10 })
  expect(missing).toBeGreaterThan(98_000_000)
  expect(peak).toBeGreaterThan(10_000)
  expect(peak).toBeLessThan(160_000)
})

/** In KiB; 0 where it is gone. */
function peakMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

test('what a command prints can be followed while it runs', async () => {
  await using place = await aTaskPlace()
  const task = await place.start(sh(`printf 'one '; while [ ! -e go ]; do sleep 0.02; done; printf two`))
  await until(async () => (await place.printed(task)) === 'one ')
  const { next } = await place.tasks.output(task.id, { stream: 'stdout' })
  writeFileSync(place.file('go'), '')
  await place.rested(task)
  expect(await place.tasks.output(task.id, { stream: 'stdout', from: next })).toMatchObject({
    text: 'two',
    from: 4,
    size: 7,
  })
})

test('a command that ended is over, whatever it left running with its pipes open', async () => {
  await using place = await aTaskPlace()
  const task = await place.run(sh('sleep 300 & echo $!'))
  expect(task).toMatchObject({ status: 'completed', invocation: { exit_code: 0, error: null } })
  expect(isAlive(Number(await place.printed(task)))).toBe(false)
  expect(processesOf(task)).toEqual([])
})

test('when its time is over a task is stopped with its daemons within a second, and what it printed is kept', async () => {
  await using place = await aTaskPlace()
  // Its parent is gone, and its session is its own.
  const daemon = `setsid sh -c 'sh "$0" &' ./deaf </dev/null >/dev/null 2>&1 &`
  writeFileSync(place.file('deaf'), `trap '' TERM; while :; do sleep 0.1; done`)
  const task = await place.start(sh(`trap '' TERM; ${daemon} echo partial; while :; do sleep 0.1; done`), {
    timeout_ms: 1500,
  })
  await until(async () => (await place.printed(task)) !== '')
  await until(() => processesOf(task).length >= 2)
  const ended = await place.rested(task)
  expect(processesOf(task)).toEqual([])
  expect(ended).toMatchObject({ status: 'timed_out', invocation: { exit_code: null, signal: 'SIGKILL' } })
  expect(await place.printed(task)).toBe('partial\n')
  const [began, end] = [ended.invocation.started_at, ended.invocation.ended_at].map(time => Date.parse(String(time)))
  expect(end! - began!).toBeGreaterThanOrEqual(1500)
  expect(end! - began!).toBeLessThan(1500 + 1000)
})

test('a task that ignores SIGTERM is cancelled all the same, once, and cannot be resumed', async () => {
  await using place = await aTaskPlace()
  const task = await place.start(sh(`trap '' TERM; echo ready; while :; do sleep 0.1; done`))
  await until(async () => (await place.printed(task)) !== '')
  const cancelled = await place.tasks.cancel(task.id, ana)
  expect(cancelled).toMatchObject({ status: 'cancelled', cancel_requested_by: null, invocation: { signal: 'SIGKILL' } })
  expect(processesOf(task)).toEqual([])
  expect(await place.tasks.cancel(task.id, { ...ana, by: 'ben' })).toEqual(cancelled)
  await expect(place.tasks.resume(task.id, { ...ana, invocation: 1, argv: ['true'] })).rejects.toMatchObject({
    code: 'task_moved_on',
  })
  expect(await place.tasks.tasks({ status: 'cancelled' })).toEqual([cancelled])
})

test('a supervisor that is told to end passes that on, and tells how its command ended', async () => {
  await using place = await aTaskPlace()
  const task = await place.start(sh(`trap 'echo told; exit 3' TERM; echo ready; while :; do sleep 0.05; done`))
  await until(async () => (await place.printed(task)) !== '')
  process.kill(pidIn((await place.running(task)).invocation.supervisor), 'SIGTERM')
  expect(await place.rested(task)).toMatchObject({ status: 'failed', invocation: { exit_code: 3, signal: null } })
  expect(await place.printed(task)).toBe('ready\ntold\n')
})

test('output that cannot be kept harms no task, and is said', async () => {
  await using place = await aTaskPlace()
  writeFileSync(place.file('tasks'), 'in the way')
  const task = await place.run(sh('echo lost; exit 10'))
  expect(task).toMatchObject({ status: 'paused', invocation: { exit_code: 10, stdout_bytes: 5 } })
  expect(task.invocation.error).toMatchObject({ code: 'output_lost', message: expect.stringMatching(/EEXIST|ENOTDIR/) })
})

test('the environment of a task is what it was given, and is written nowhere', async () => {
  await using place = await aTaskPlace()
  const outer = {
    ...process.env,
    HOLDPOINT_WITHIN: 'agent:a/b',
    HOLDPOINT_COMMAND_IDS: 'x',
    HOLDPOINT_TASK: 'y/1',
    GONE: 'g',
  }
  const manager = place.manager({ environment: outer })
  const environment = { TOKEN: 'very-secret-words', 'odd-name.1': 'odd "value"\n', GONE: undefined }
  const { id } = await manager.start({
    ...{ kind: 'command', title: 'env', subject: null, details: {}, workdir: place.directory, timeout_ms: null },
    ...{ argv: ['env', '-0'], environment, ...ana },
  })
  await place.rested({ id })
  const variables = (await place.printed({ id })).split('\0')
  expect(variables).toContain('TOKEN=very-secret-words')
  expect(variables).toContain('odd-name.1=odd "value"\n')
  expect(variables).toContain(`PWD=${place.directory}`)
  expect(variables).toContain(`HOLDPOINT_TASK=${id}/1`)
  expect(variables.filter(text => /^(HOLDPOINT_(WITHIN|COMMAND_IDS|CARRIED)|GONE)=/.test(text))).toEqual([])
  expect(filesWith(place, 'very-secret-words')).toEqual([join('tasks', id, '1', 'stdout.0')])
})

function filesWith(place: TaskPlace, text: string): string[] {
  return readdirSync(place.directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && readFileSync(join(entry.parentPath, entry.name), 'latin1').includes(text))
    .map(entry => join(entry.parentPath, entry.name).slice(place.directory.length + 1))
}
