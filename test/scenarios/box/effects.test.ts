/** P1, P3, P9: a command in a box has its effect once, and never before it was ruled on. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { hasBox } from '../../box/a-box.ts'
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
    await using project = await aProject(running('echo line >> src/a.ts; [ -e go ] || sleep 30'))
    const child = project.start(['-t', 'run_command', '--pause-on', 'approval', '--json', 'Go'])
    await vi.waitFor(() => expect(existsSync(join(project.directory, '.holdpoint/boxes'))).toBe(true))
    await delay(500)
    child.kill('SIGKILL')
    await writeFile(join(project.directory, 'go'), '')
    await vi.waitFor(async () => {
      const [run] = (await project.holdpoint('runs', '--json')).json
      expect(await project.holdpoint('work', '--once', '--json')).toMatchObject({ exit: 0 })
      expect((await project.holdpoint('show', run.id, '--json')).json).toMatchObject({ status: 'completed' })
    })
    expect(await fileOf(project, 'src/a.ts')).toBe('aline\n')
  })
})
