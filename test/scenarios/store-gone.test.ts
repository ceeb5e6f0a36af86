import type { ChildProcess } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { until } from './processes.ts'
import { aProject, command, effect, ended } from './project.ts'

const STORE = ['--store', 'sqlite:data/runs.db']
const GONE = { outcome: 'failed', error: { code: 'store_gone', hint: expect.stringMatching(/\w/) } }
const ask = { id: 'tc_2', name: 'ask_human', args: { question: 'Go on?' } }

const WAYS: readonly (readonly [how: string, command: string])[] = [
  ['deleted', 'rm -r data'],
  ['replaced by a copy', 'mv data/runs.db data/old.db && cp data/old.db data/runs.db'],
  ['left without its log', 'rm data/runs.db-wal'],
]

test.each(WAYS)('P4: a run whose store is %s has no further effect, and announces no pause', async (_how, remove) => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', remove)] }, { calls: [effect('tc_3', 'later'), ask] }, 'Done.'],
  })
  const run = await project.holdpoint('-a', '--pause-on', 'question', ...STORE, '-o', 'json', 'go')
  expect(run).toMatchObject({ exit: 1, json: GONE })
  expect(await project.effects()).toEqual([])
})

test('P4: a question is not announced from a store that was deleted before it was written', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'rm -r data')] }, { calls: [ask] }, 'Done.'],
  })
  const run = await project.holdpoint('-a', '--pause-on', 'question', ...STORE, '-o', 'json', 'go')
  expect(run).toMatchObject({ exit: 1, json: GONE })
  expect(project.exists('data')).toBe(false)
})

test.each([
  ['a worker that has nothing to do', ['work', ...STORE, '--json']],
  ['a watch of holds', ['holds', '--watch', ...STORE, '--json']],
])('%s ends when its store is deleted', async (_who, words) => {
  await using project = await aProject({ script: ['Hello.'] })
  await mkdir(project.path('data'))
  expect((await project.holdpoint('-a', ...STORE, '-o', 'json', 'go')).exit).toBe(0)
  const child = project.start(words)
  const finished = ended(child)
  await until(() => watchesFiles(child))
  await rm(project.path('data'), { recursive: true })
  const { exit, stdout } = await finished
  expect([exit, stdout]).toEqual([1, expect.stringContaining('store_gone')])
})

/** True once the process watches the log of its store, so that it has all of the store open. */
function watchesFiles({ pid }: ChildProcess): boolean {
  const open = `/proc/${pid}/fd`
  return readdirSync(open).some(file => {
    try {
      return readlinkSync(`${open}/${file}`) === 'anon_inode:inotify'
    } catch {
      return false // It was closed meanwhile.
    }
  })
}
