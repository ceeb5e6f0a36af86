/** P1, P3, P9: a command in a box has its effect once, and never before it was ruled on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasBox } from '../../box/a-box.ts'
import { until } from '../processes.ts'
import { aProject, type Project } from '../project.ts'

const POLICY = { tools: { run_command: 'box' }, effects: { write: ['src/**'], never: ['.env'] } }

function running(command: string): object {
  return {
    script: [{ calls: [{ id: 'tc_1', name: 'run_command', args: { command } }] }, { text: 'Done.' }],
    policy: POLICY,
    files: { 'src/a.ts': 'a', 'notes.txt': 'n', '.env': 'KEY=1' },
  }
}

const start = (project: Project) => project.holdpoint('-t', 'run_command', '--pause-on', 'approval', '--json', 'Go')
const fileOf = (project: Project, path: string) => readFile(join(project.directory, path), 'utf8')

function running321(): boolean {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.some(pid => commandLineOf(pid).startsWith('sleep\x1a1'))
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe.runIf(await hasBox())('with a box', () => {
  test('an effect that rules permit needs nobody', async () => {
    await using project = await aProject(running('echo b > src/a.ts'))
    expect(await start(project)).toMatchObject({ exit: 0 })
    expect(await fileOf(project, 'src/a.ts')).toBe('b\n')
  })

  test('P1: any other effect waits for a person who sees it, and has not happened', async () => {
    await using project = await aProject(running('rm notes.txt; echo c > c; cat .env'))
    expect(await start(project)).toMatchObject({ exit: 10 })
    expect(await fileOf(project, 'notes.txt')).toBe('n')
    const [hold] = (await project.holdpoint('holds', '--json')).json
    const shown = await project.holdpoint('show', hold.id)
    for (const part of ['Deleted (1)', 'notes.txt', 'c (new file)', 'ended with 1', 'Permission denied'])
      expect(shown.stdout).toContain(part)
    expect(shown.stdout).not.toContain('KEY=1')

    expect(await project.holdpoint('approve', hold.id, '--advance', '--json')).toMatchObject({ exit: 0 })
    expect(existsSync(join(project.directory, 'notes.txt'))).toBe(false)
    expect(await fileOf(project, 'c')).toBe('c\n')
    expect(await project.holdpoint('undo', hold.id, '--json')).toMatchObject({ exit: 0 })
    expect(await fileOf(project, 'notes.txt')).toBe('n')
    expect(existsSync(join(project.directory, 'c'))).toBe(false)
    expect((await project.holdpoint('audit', '--json')).stdout).toContain('effect.undone')
  })

  test('some of the files may be kept', async () => {
    await using project = await aProject(running('rm notes.txt; echo c > c'))
    await start(project)
    const [hold] = (await project.holdpoint('holds', '--json')).json
    expect(await project.holdpoint('approve', hold.id, '--only', 'c', '--advance', '--json')).toMatchObject({ exit: 0 })
    expect(await fileOf(project, 'notes.txt')).toBe('n')
    expect(await fileOf(project, 'c')).toBe('c\n')
  })

  test('a rejected effect never happened', async () => {
    await using project = await aProject(running('rm notes.txt'))
    await start(project)
    const [hold] = (await project.holdpoint('holds', '--json')).json
    expect(await project.holdpoint('reject', hold.id, '--advance', '--json')).toMatchObject({ exit: 0 })
    expect(await fileOf(project, 'notes.txt')).toBe('n')
    expect(await project.holdpoint('undo', hold.id)).toMatchObject({ exit: 2 })
  })

  test('P9: what moved between the look and the decision is asked about anew', async () => {
    await using project = await aProject(running('echo mine >> notes.txt'))
    await start(project)
    const [hold] = (await project.holdpoint('holds', '--json')).json
    await writeFile(join(project.directory, 'notes.txt'), 'theirs\n')
    expect(await project.holdpoint('approve', hold.id, '--advance', '--json')).toMatchObject({ exit: 10 })
    expect(await fileOf(project, 'notes.txt')).toBe('theirs\n')
    const [again] = (await project.holdpoint('holds', '--json')).json
    expect(await project.holdpoint('approve', again.id, '--advance', '--json')).toMatchObject({ exit: 0 })
    expect(await fileOf(project, 'notes.txt')).toBe('theirs\nmine\n')
  })

  test('P3: a process that is killed while its command is in the box leaves no doubt: the command runs again', async () => {
    await using project = await aProject(running('echo line >> src/a.ts; [ -e go ] || sleep 321'))
    const child = project.start(['-t', 'run_command', '--pause-on', 'approval', '--json', 'Go'])
    const boxes = join(project.directory, '.holdpoint/boxes')
    const writes = () =>
      existsSync(boxes) && readdirSync(boxes).some(name => existsSync(join(boxes, name, 'upper/src/a.ts')))
    await until(writes)
    child.kill('SIGKILL')
    // The box ends with the process that began it.
    await until(() => !running321())
    await writeFile(join(project.directory, 'go'), '')
    await until(async () => {
      await project.holdpoint('work', '--once', '--json')
      return (await fileOf(project, 'src/a.ts')) !== 'a'
    })
    expect(await fileOf(project, 'src/a.ts')).toBe('aline\n')
  })
})
