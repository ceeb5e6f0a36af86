import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { aProject, CLI, effect, type Project, runInOwnProcesses } from './project.ts'

afterAll(runInOwnProcesses())

const script = [{ text: 'Soon.', calls: [effect('tc_1', 'ran')] }, 'Done.']

interface Lost {
  readonly exit: number | null
  readonly stderr: string
}

/** Runs it with a stdout that takes nothing: on a full disk, or with a reader who is gone. */
async function unheard(project: Project, args: readonly string[], lost: 'full' | 'gone'): Promise<Lost> {
  const full = lost === 'full' ? openSync('/dev/full', 'w') : 'pipe'
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: project.directory,
    env: { ...project.environment },
    stdio: ['ignore', full, 'pipe'],
  })
  if (typeof full === 'number') closeSync(full)
  child.stdout?.destroy()
  let stderr = ''
  child.stderr?.on('data', chunk => (stderr += chunk))
  const exit = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { exit, stderr }
}

const FORMATS = ['text', 'json', 'stream-json']
const LOST = ['full', 'gone'] as const
const ways = FORMATS.flatMap(format => LOST.map(lost => [format, lost] as const))

test.each(ways)(
  'P4: a run whose %s output is lost, since stdout is %s, exits as it ended and throws nothing',
  async (format, lost) => {
    await using project = await aProject({ script, policy: { tools: { run_command: 'auto' } } })
    const completed = await unheard(project, ['-a', '-o', format, 'go'], lost)
    expect(completed.exit).toBe(0)
    expect(completed.stderr.replace(/^Done\.\n/, '')).toMatch(
      lost === 'full' ? /^The output could not be written: ENOSPC.*\n$/ : /^$/,
    )
    expect(await project.effects()).toEqual(['ran'])
  },
)

test.each(LOST)('P4: a pause that is told to a stdout that is %s exits with 10, and can be resumed', async lost => {
  await using project = await aProject({ script, policy: { tools: { run_command: 'prompt' } } })
  expect((await unheard(project, ['-a', '--pause-on-approval', '-o', 'json', 'go'], lost)).exit).toBe(10)
  const [{ checkpoint_id }] = (await project.holdpoint('runs', '--json')).json
  expect((await unheard(project, ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json'], lost)).exit).toBe(0)
  expect(await project.effects()).toEqual(['ran'])
})

const READERS = [
  ...['runs', 'runs --json', 'holds --json', 'threads list --json', 'audit --json', 'audit verify', 'tasks'],
  ...['show RUN', 'checkpoint export CHECKPOINT --out -', 'checkpoints SESSION', 'doctor', 'policy check ls'],
  ...['--version', '--help', 'help run', 'runs --help', 'completion bash', 'agents list --json'],
]

test.each(READERS)('`holdpoint %s` fails if a full disk takes its output, which is its work', async words => {
  await using project = await aProject({ script, policy: { tools: { run_command: 'prompt' } } })
  expect(await project.holdpoint('-a', '--pause-on-approval', 'go')).toMatchObject({ exit: 10 })
  const [{ run_id: RUN, checkpoint_id: CHECKPOINT, session_id: SESSION }] = (await project.holdpoint('runs', '--json'))
    .json
  const named: Record<string, string> = { RUN, CHECKPOINT, SESSION }
  const args = words.split(' ').map(word => named[word] ?? word)
  expect(await unheard(project, args, 'full')).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^The output could not be written: ENOSPC.*\n$/),
  })
})

test.each(['json', 'text'])('a working directory that is gone is told as one refusal (%s)', async format => {
  await using project = await aProject({ script, policy: { tools: { run_command: 'auto' } } })
  await mkdir(project.path('gone'))
  const words = ['-a', '-o', format, 'go']
  // The shell removes the directory that it is in, and so that of its child.
  const child = spawn('/bin/sh', ['-c', 'rmdir "$PWD"; exec "$@"', 'sh', process.execPath, CLI, ...words], {
    cwd: project.path('gone'),
    env: { ...project.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => (said.stdout += chunk))
  child.stderr.on('data', chunk => (said.stderr += chunk))
  const exit = await new Promise(resolve => child.once('close', resolve))
  expect(exit).toBe(2)
  if (format === 'json') {
    expect(JSON.parse(said.stdout)).toMatchObject({ outcome: 'refused', error: { code: 'no_workdir' } })
    expect(said.stderr).toBe('')
  } else expect(said.stderr).not.toContain('    at ')
})
