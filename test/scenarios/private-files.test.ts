import { execFile } from 'node:child_process'
import { chmod, readdir, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { aProject, CLI, effect, type Project, runInOwnProcesses } from './project.ts'

afterAll(runInOwnProcesses())

const run = promisify(execFile)

/** Runs `holdpoint` with a umask that takes no right away. */
async function openHanded(project: Project, ...args: string[]): Promise<void> {
  const words = [process.execPath, CLI, ...args]
  // A pause exits with 10.
  await run('sh', ['-c', 'umask 0; "$@" || test $? = 10', 'sh', ...words], {
    cwd: project.directory,
    env: project.environment,
  })
}

/** What others may do with the files below `.holdpoint/`, itself included; empty if nothing. */
async function othersMay(project: Project): Promise<string[]> {
  const names = ['', ...(await readdir(project.path('.holdpoint'), { recursive: true }))]
  const found = await Promise.all(
    names.map(async name => ({ name, mode: (await stat(project.path('.holdpoint', name))).mode & 0o077 })),
  )
  return found.filter(({ mode }) => mode !== 0).map(({ name, mode }) => `${name} ${mode.toString(8)}`)
}

test('all that is kept of runs and tasks is for its owner alone, whatever the umask is', async () => {
  const start = { id: 't1', name: 'run_command_task', args: { command: 'echo printed' } }
  await using project = await aProject({ script: [{ calls: [start] }, { calls: [effect('t2', 'one')] }, 'Done.'] })
  await openHanded(project, '-t', 'run_command_task', '-t', 'run_command', '--pause-on-approval', 'go')
  const [{ id }] = (await project.holdpoint('holds', '--json')).json
  await openHanded(project, 'approve', id, '--advance')
  const [{ task_id }] = (await project.holdpoint('tasks', '--json')).json
  await openHanded(project, 'tasks', 'wait', task_id, '--json')
  expect(await readdir(project.path('.holdpoint', 'tasks', task_id, '1'))).toContain('stdout.0')
  expect(project.exists('.holdpoint', 'session', 'pause.json')).toBe(true)
  expect(await othersMay(project)).toEqual([])
})

test('the files beside a store in use are for its owner alone', async () => {
  await using project = await aProject({
    script: [{ calls: [{ id: 't1', name: 'run_command', args: { command: 'ls -lnRa > seen' } }] }, 'Done.'],
  })
  await openHanded(project, 'go')
  const modes = (await project.read('seen')).split('\n').filter(line => line.includes('holdpoint.db'))
  expect(modes.map(line => line.slice(0, 10))).toEqual(['-rw-------', '-rw-------', '-rw-------'])
})

test('a store that others could read is narrowed when its owner opens it', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await project.holdpoint('go')
  await chmod(project.path('.holdpoint'), 0o755)
  await chmod(project.path('.holdpoint', 'holdpoint.db'), 0o666)
  await project.holdpoint('runs')
  expect(await othersMay(project)).toEqual([])
})

test('the directory of a store that has another name keeps its rights', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await chmod(project.directory, 0o755)
  await project.holdpoint('--store', 'sqlite:runs.db', 'go')
  expect((await stat(project.directory)).mode & 0o777).toBe(0o755)
  expect((await stat(project.path('runs.db'))).mode & 0o777).toBe(0o600)
})
