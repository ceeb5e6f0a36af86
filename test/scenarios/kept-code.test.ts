import { chmodSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { aProject, effect, type Project, runInOwnProcesses } from './project.ts'

afterAll(runInOwnProcesses())

const SCRIPT = [{ calls: [effect('tc_1', 'applied')] }, 'Done.']
const DIRECTORY = ['.cache', 'holdpoint']

/** In its own home, so that no code is kept yet. */
function atHome(env: Readonly<Record<string, string>> = {}): Promise<Project> {
  return aProject({ script: SCRIPT, env: { NODE_COMPILE_CACHE: '', ...env } })
}

async function pauseAndResume(project: Project): Promise<void> {
  const { json: paused } = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'go')
  expect(await project.holdpoint('-c', paused.checkpoint_id, '--approve', 'tc_1', '-o', 'json')).toMatchObject({
    exit: 0,
    json: { outcome: 'completed' },
    stderr: '',
  })
}

function kept(project: Project): readonly string[] {
  if (!project.exists(...DIRECTORY)) return []
  return readdirSync(project.path(...DIRECTORY)).filter(name => /^(start|resume)\./.test(name))
}

/** A file is of a kind of command and of a part of the command line. */
function kindsOf(names: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(names.map(name => name.split('.')[0]))
}

test('processes keep what they compiled, and later ones load it', async () => {
  await using project = await atHome()
  await pauseAndResume(project)
  const names = kept(project)
  expect(kindsOf(names)).toEqual(new Set(['resume', 'start']))
  const before = names.map(name => statSync(project.path(...DIRECTORY, name)).mtimeMs)
  await pauseAndResume(project)
  expect(names.map(name => statSync(project.path(...DIRECTORY, name)).mtimeMs)).toEqual(before)
  expect(kept(project)).toEqual(names)
  expect(await project.effects()).toEqual(['applied', 'applied'])
})

test('a verb of agents that is called often has code of its own', async () => {
  await using project = await atHome()
  await project.holdpoint('agents')
  await project.holdpoint('agents', 'attach', 'nobody')
  const names = readdirSync(project.path(...DIRECTORY)).filter(name => name.startsWith('agents'))
  expect(kindsOf(names)).toEqual(new Set(['agents', 'agents-attach']))
})

test.each<[string, (path: string) => void]>([
  ['cut short', path => truncateSync(path, 1_000)],
  ['empty', path => truncateSync(path, 0)],
  [
    'changed in one byte',
    path => {
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(path, bytes)
    },
  ],
  ['something else', path => writeFileSync(path, 'x'.repeat(2_000))],
])('kept code that is %s is not run, and is kept anew', async (_, spoil) => {
  await using project = await atHome()
  await pauseAndResume(project)
  const paths = kept(project).map(name => project.path(...DIRECTORY, name))
  for (const path of paths) spoil(path)
  const spoilt = paths.map(path => readFileSync(path))
  await pauseAndResume(project)
  expect(paths.map((path, index) => readFileSync(path).equals(spoilt[index]!))).toEqual(paths.map(() => false))
  expect(await project.effects()).toEqual(['applied', 'applied'])
})

test.each(['the directory', 'the files'])('P1: kept code is not run if others may write %s', async which => {
  await using project = await atHome()
  await pauseAndResume(project)
  const paths = kept(project).map(name => project.path(...DIRECTORY, name))
  const open = which === 'the files' ? paths : [project.path(...DIRECTORY)]
  for (const path of open) chmodSync(path, 0o777)
  const before = paths.map(path => statSync(path).ino)
  await pauseAndResume(project)
  // Files are replaced by files of this user alone; into the directory nothing is written any more.
  expect(paths.map((path, index) => statSync(path).ino !== before[index])).toEqual(
    paths.map(() => which === 'the files'),
  )
  expect(await project.effects()).toEqual(['applied', 'applied'])
})

test('no code is kept if Node is told to keep none, or if there is no home', async () => {
  await using told = await atHome({ NODE_DISABLE_COMPILE_CACHE: '1' })
  await pauseAndResume(told)
  expect(kept(told)).toEqual([])
  await using homeless = await atHome({ HOME: '' })
  await pauseAndResume(homeless)
  expect(homeless.exists('.cache')).toBe(false)
})
