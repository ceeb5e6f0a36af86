import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile as write,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Tool } from '../../ports/agent/tool.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import type { FileOptions } from './locate.ts'
import { writeFile } from './write-file.ts'

async function aWorkdir(): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  return workdir
}

async function put(workdir: string, path: string, content: string, options?: FileOptions): ReturnType<Tool['execute']> {
  return await writeFile(options).execute({ path, content }, toolContext({ workdir }))
}

test('a file is written, with the directories that were missing', async () => {
  const workdir = await aWorkdir()
  expect(await put(workdir, 'a/b/c.txt', 'hi €')).toEqual({ path: 'a/b/c.txt', created: true, bytes_written: 6 })
  expect(await readFile(join(workdir, 'a/b/c.txt'), 'utf8')).toBe('hi €')
  expect(await readdir(join(workdir, 'a/b'))).toEqual(['c.txt'])
})

test.skipIf(process.platform !== 'linux')('P4: a directory that cannot be made is an error, not a wait', async () => {
  await expect(put('/proc', 'x/y/z.txt', 'hi')).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})

test('a file that was there is replaced and keeps its mode', async () => {
  const workdir = await aWorkdir()
  await write(join(workdir, 'run.sh'), 'old and longer')
  await chmod(join(workdir, 'run.sh'), 0o751)
  expect(await put(workdir, 'run.sh', 'new')).toMatchObject({ created: false })
  expect(await readFile(join(workdir, 'run.sh'), 'utf8')).toBe('new')
  expect((await stat(join(workdir, 'run.sh'))).mode & 0o7777).toBe(0o751)
})

test('a file keeps its line ends and its byte order mark', async () => {
  const workdir = await aWorkdir()
  await write(join(workdir, 'f'), '\uFEFFone\r\ntwo\r\n')
  expect(await put(workdir, 'f', '1\n2\n')).toMatchObject({ created: false, bytes_written: 9 })
  expect(await readFile(join(workdir, 'f'), 'utf8')).toBe('\uFEFF1\r\n2\r\n')
  await write(join(workdir, 'mixed'), 'one\r\ntwo\n')
  await put(workdir, 'mixed', '1\n2\n')
  expect(await readFile(join(workdir, 'mixed'), 'utf8')).toBe('1\n2\n')
})

test('a reader never sees half of it', async () => {
  const workdir = await aWorkdir()
  const contents = ['a', 'b'].map(letter => letter.repeat(300_000))
  await put(workdir, 'f', contents[0]!)
  let writing = true
  const writes = (async () => {
    for (let round = 0; round < 20; round++) await put(workdir, 'f', contents[round % 2]!)
    writing = false
  })()
  while (writing) expect(contents.includes(await readFile(join(workdir, 'f'), 'utf8'))).toBe(true)
  await writes
})

test('writing through a link inside writes what it leads to', async () => {
  const workdir = await aWorkdir()
  await write(join(workdir, 'target'), 'old')
  await symlink('target', join(workdir, 'link'))
  await symlink('not/yet', join(workdir, 'dangling'))
  await put(workdir, 'link', 'new')
  await put(workdir, 'dangling', 'made')
  expect((await lstat(join(workdir, 'link'))).isSymbolicLink()).toBe(true)
  expect(await readFile(join(workdir, 'target'), 'utf8')).toBe('new')
  expect(await readFile(join(workdir, 'not/yet'), 'utf8')).toBe('made')
})

test('the other name of a file with two names keeps the old content', async () => {
  const workdir = await aWorkdir()
  await write(join(workdir, 'one'), 'old')
  await link(join(workdir, 'one'), join(workdir, 'two'))
  await put(workdir, 'two', 'new')
  expect(await readFile(join(workdir, 'one'), 'utf8')).toBe('old')
})

test('nothing is written outside, by whatever path', async () => {
  const workdir = await aWorkdir()
  const outside = await aWorkdir()
  await symlink(outside, join(workdir, 'link'))
  await symlink(join(outside, 'new'), join(workdir, 'dangling'))
  await symlink('../../x', join(workdir, 'up'))
  for (const path of ['link/new', 'link/a/b', 'dangling', 'up', '../new', join(outside, 'new'), 'a/../../new']) {
    await expect(put(workdir, path, 'x')).rejects.toMatchObject({ code: 'PATH_OUTSIDE_WORKDIR' })
  }
  expect(await readdir(outside)).toEqual([])
  await put(workdir, 'link/new', 'x', { allowOutside: true })
  expect(await readdir(outside)).toEqual(['new'])
})

test('only a regular file is replaced, and nothing is left behind', async () => {
  const workdir = await aWorkdir()
  await mkdir(join(workdir, 'dir'))
  await write(join(workdir, 'file'), '')
  await expect(put(workdir, 'dir', 'x')).rejects.toMatchObject({ code: 'NOT_A_FILE' })
  await expect(put(workdir, '.', 'x')).rejects.toMatchObject({ code: 'NOT_A_FILE' })
  await expect(put(workdir, 'file/below', 'x')).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' })
  await expect(put(workdir, 'n'.repeat(300), 'x')).rejects.toMatchObject({ code: 'INVALID_PATH' })
  expect((await readdir(workdir)).sort()).toEqual(['dir', 'file'])
})

test.skipIf(process.getuid?.() === 0)('a file that may not be written is not replaced', async () => {
  const workdir = await aWorkdir()
  await write(join(workdir, 'kept'), 'old')
  await chmod(join(workdir, 'kept'), 0o444)
  await expect(put(workdir, 'kept', 'new')).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})
