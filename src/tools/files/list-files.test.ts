import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../core/text/json.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { listFiles } from './list-files.ts'

async function aWorkdir(): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  return workdir
}

async function aTree(...files: readonly string[]): Promise<string> {
  const workdir = await aWorkdir()
  for (const file of files) {
    await mkdir(join(workdir, dirname(file)), { recursive: true })
    await writeFile(join(workdir, file), '')
  }
  return workdir
}

async function list(workdir: string, args: JsonObject = {}, signal?: AbortSignal): Promise<JsonObject> {
  const context = toolContext({ workdir, ...(signal && { abortSignal: signal }) })
  return (await listFiles().execute(args, context)) as JsonObject
}

test('one level is listed, sorted, with a slash after directories', async () => {
  const workdir = await aTree('b.txt', 'a/x', 'a.txt', '.hidden', 'B')
  expect(await list(workdir)).toEqual({ path: '.', entries: ['.hidden', 'B', 'a.txt', 'a/', 'b.txt'], more: false })
})

test('more levels are listed in the order of the whole path', async () => {
  const workdir = await aTree('a/b/c', 'a/z', 'a-b', 'a.txt')
  expect(await list(workdir, { depth: 2 })).toMatchObject({ entries: ['a-b', 'a.txt', 'a/', 'a/b/', 'a/z'] })
})

test('.git and node_modules are left out unless they are asked for', async () => {
  const workdir = await aTree('.git/HEAD', 'node_modules/x/index.js', 'src/node_modules/y', 'src/a')
  expect(await list(workdir, { depth: 9 })).toMatchObject({ entries: ['src/', 'src/a'] })
  expect(await list(workdir, { path: 'node_modules/x' })).toMatchObject({
    path: 'node_modules/x',
    entries: ['index.js'],
  })
})

test('a pattern is looked for at every depth', async () => {
  const workdir = await aTree('a.ts', 'src/b.ts', 'src/deep/c.tsx', 'src/d.js')
  expect(await list(workdir, { pattern: '*.ts' })).toMatchObject({ entries: ['a.ts', 'src/b.ts'] })
  expect(await list(workdir, { pattern: 'src/**/*.{ts,tsx}' })).toMatchObject({
    entries: ['src/b.ts', 'src/deep/c.tsx'],
  })
  expect(await list(workdir, { pattern: 'deep' })).toMatchObject({ entries: ['src/deep/'] })
  expect(await list(workdir, { path: 'src', pattern: '*.ts', depth: 1 })).toMatchObject({ entries: ['b.ts'] })
})

test('a large directory is cut, and it is told that there is more', async () => {
  const workdir = await aTree(...Array.from({ length: 1001 }, (_, index) => `${index}`))
  const listed = await list(workdir)
  expect(listed).toMatchObject({ more: true })
  expect(listed['entries']).toHaveLength(1000)
})

test('links are listed and not followed', async () => {
  const workdir = await aTree('a/x')
  await symlink('..', join(workdir, 'a/up'))
  await symlink('/', join(workdir, 'root'))
  expect(await list(workdir, { depth: 32 })).toMatchObject({ entries: ['a/', 'a/up', 'a/x', 'root'] })
  await expect(list(workdir, { path: 'root' })).rejects.toMatchObject({ code: 'PATH_OUTSIDE_WORKDIR' })
})

test('what is no directory is told so', async () => {
  const workdir = await aTree('a')
  await expect(list(workdir, { path: 'a' })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' })
  await expect(list(workdir, { path: 'none' })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
})

test('it can be interrupted', async () => {
  const workdir = await aTree('a')
  await expect(list(workdir, {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'TOOL_CALL_INTERRUPTED' })
})
