import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type CallFacts, rule } from '../../core/policy/policy.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { editFile } from './edit-file.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { writeFile } from './write-file.ts'

async function aWorkdir(): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  return workdir
}

async function facts(tool: Tool, workdir: string, args: JsonObject): Promise<CallFacts> {
  const found = await tool.inspect?.(args, workdir)
  return found ?? expect.fail('the tool has no inspect')
}

async function written(workdir: string, path: Json): Promise<CallFacts> {
  return await facts(writeFile(), workdir, { path, content: '' })
}

test.each([
  ['a', 'a'],
  ['./a/../b//c', 'b/c'],
  ['a/', 'a'],
  ['.', '.'],
])('%s reads as %s', async (path, as) => {
  const { readings, unclear } = await written(await aWorkdir(), path)
  expect(readings['path']?.as).toBe(as)
  expect(unclear).toBeNull()
})

test('an absolute path inside reads as the relative one, and a restriction on either finds it', async () => {
  const workdir = await aWorkdir()
  const { readings } = await written(workdir, `${workdir}/x/../a`)
  expect(readings['path']).toEqual({ as: 'a', among: [`${workdir}/x/../a`, 'a', `${workdir}/a`] })
})

test('a path outside reads as the absolute one', async () => {
  const workdir = await aWorkdir()
  const { readings } = await written(workdir, '../beside')
  const beside = join(workdir, '..', 'beside')
  expect(readings['path']).toEqual({ as: beside, among: ['../beside', beside] })
})

test('P1: a path of a sub-agent that works below its parent reads as its parent would write it', async () => {
  const home = await aWorkdir()
  const workdir = join(home, 'secrets')
  await mkdir(workdir)
  for (const tool of [writeFile(), readFile(), editFile(), listFiles()]) {
    const { readings } = (await tool.inspect?.({ path: 'key' }, workdir, home)) ?? {}
    expect(readings?.['path']).toEqual({ as: 'secrets/key', among: ['key', 'secrets/key', join(workdir, 'key')] })
  }
})

test('P1: a path that a link leads elsewhere permits nothing and is restricted by where it leads', async () => {
  const workdir = await aWorkdir()
  await mkdir(join(workdir, 'secrets'))
  await symlink('secrets', join(workdir, 'public'))
  const { readings } = await facts(readFile(), workdir, { path: 'public/key' })
  expect(readings['path']?.as).toBeNull()
  expect(readings['path']?.among).toEqual([
    'public/key',
    join(workdir, 'public/key'),
    'secrets/key',
    join(workdir, 'secrets/key'),
  ])
})

test('a working directory that is itself reached by a link changes nothing', async () => {
  const real = await aWorkdir()
  const workdir = join(await aWorkdir(), 'link')
  await symlink(real, workdir)
  expect((await written(workdir, 'a')).readings['path']?.as).toBe('a')
  expect((await written(workdir, join(real, 'a'))).readings['path']?.as).toBe('a')
})

test.each([
  '.holdpoint/policy.json',
  '.holdpoint',
  'a/../.holdpoint/x',
  'a/.holdpoint/deep/x',
  '.HoldPoint/x',
  '.hold\u200Bpoint/x',
  '.ｈoldpoint/x',
])('P1: writing to %j always needs a person', async path => {
  const workdir = await aWorkdir()
  for (const found of [await written(workdir, path), await facts(editFile(), workdir, { path })]) {
    expect(found.protected).toBe('writing below .holdpoint/ always needs a person')
  }
  const policy = { default: 'auto', tools: { write_file: 'auto' }, rules: [], on_never: 'pause' } as const
  const question = {
    tool: 'write_file',
    arguments: { path },
    facts: await written(workdir, path),
    needs_approval: false,
  }
  expect(rule(policy, question)).toMatchObject({ verdict: 'prompt', binding: true })
})

test.each(['.git/config', '.git/hooks/pre-commit', '.git', 'docs/sub/.git/hooks/post-checkout', '.GIT/config'])(
  'P1: writing to %j always needs a person, as git runs what is named there',
  async path => {
    const workdir = await aWorkdir()
    for (const found of [await written(workdir, path), await facts(editFile(), workdir, { path })])
      expect(found.protected).toContain('writing below .git/ always needs a person')
    for (const plain of ['.gitignore', '.github/workflows/ci.yaml', 'git/config'])
      expect((await written(workdir, plain)).protected).toBeNull()
    await mkdir(join(workdir, '.git'))
    await symlink('.git', join(workdir, 'innocent'))
    expect((await written(workdir, 'innocent/config')).protected).not.toBeNull()
    expect((await facts(readFile(), workdir, { path })).protected).toBeNull()
  },
)

test('P1: no link is a way around', async () => {
  const workdir = await aWorkdir()
  await mkdir(join(workdir, '.holdpoint'))
  await symlink('.holdpoint', join(workdir, 'innocent'))
  await symlink('.holdpoint/new.json', join(workdir, 'dangling'))
  for (const path of ['innocent/policy.json', 'dangling']) {
    expect((await written(workdir, path)).protected).not.toBeNull()
  }
})

test('P1: records that are kept elsewhere behind a link are found there too', async () => {
  const workdir = await aWorkdir()
  await mkdir(join(workdir, 'state'))
  await symlink('state', join(workdir, '.holdpoint'))
  expect((await written(workdir, 'state/policy.json')).protected).not.toBeNull()
  expect((await written(workdir, 'stately')).protected).toBeNull()
})

test('names that only resemble it, and reading, are not protected', async () => {
  const workdir = await aWorkdir()
  expect((await written(workdir, '.holdpoint.md')).protected).toBeNull()
  expect((await written(workdir, 'holdpoint/x')).protected).toBeNull()
  expect((await facts(readFile(), workdir, { path: '.holdpoint/x' })).protected).toBeNull()
})

test.each([[7], [null], [['a']], [''], ['a\0b']])('P1: the path %j is unclear and permits nothing', async path => {
  const { readings, unclear } = await written(await aWorkdir(), path)
  expect(readings['path']?.as).toBeNull()
  expect(unclear).toMatch(/path/)
})

test('P1: a path that cannot be followed is unclear, and still protected', async () => {
  const workdir = await aWorkdir()
  await symlink('loop', join(workdir, 'loop'))
  expect(await written(workdir, 'loop/.holdpoint/x')).toMatchObject({
    readings: { path: { as: null } },
    unclear: expect.stringContaining('never end'),
    protected: expect.any(String),
  })
  expect(await written(join(workdir, 'gone'), 'a')).toMatchObject({ unclear: expect.any(String) })
})

test('a listing without a path is of the working directory', async () => {
  expect((await facts(listFiles(), await aWorkdir(), {})).readings['path']?.as).toBe('.')
})
