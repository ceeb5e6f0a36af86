import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../core/text/json.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { findFiles } from './find-files.ts'
import { searchFiles } from './search-files.ts'

async function aTree(files: Readonly<Record<string, string>>): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(workdir, dirname(file)), { recursive: true })
    await writeFile(join(workdir, file), text)
  }
  return workdir
}

async function search(workdir: string, args: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
  const context = toolContext({ workdir, ...(signal && { abortSignal: signal }) })
  return (await searchFiles().execute(args, context)) as JsonObject
}

async function find(workdir: string, args: JsonObject): Promise<JsonObject> {
  return (await findFiles().execute(args, toolContext({ workdir }))) as JsonObject
}

test('each match is shown with its file and its line', async () => {
  const workdir = await aTree({ 'src/b.ts': 'one\ntotal = 1\n', 'a.ts': 'total = 2', 'c.md': 'none' })
  expect(await search(workdir, { pattern: 'total = \\d' })).toEqual({
    path: '.',
    content: 'a.ts\n1:total = 2\n\nsrc/b.ts\n2:total = 1',
    matches: 2,
    files: 2,
    more: false,
  })
})

test('lines around a match are shown once, and not as matches', async () => {
  const workdir = await aTree({ a: '1\n2 x\n3\n4 x\n5\n6' })
  expect(await search(workdir, { pattern: 'x', context: 1 })).toMatchObject({
    content: 'a\n1-1\n2:2 x\n3-3\n4:4 x\n5-5',
  })
})

test('a file alone, a glob, a literal text and another case are searched', async () => {
  const workdir = await aTree({ 'a.ts': 'f(x)', 'b.js': 'f(x)', 'c.ts': 'F(X)' })
  const content = async (args: JsonObject) =>
    (await search(workdir, { pattern: 'f(x)', literal: true, ...args }))['content']
  expect(await content({})).toBe('a.ts\n1:f(x)\n\nb.js\n1:f(x)')
  expect(await content({ path: 'b.js' })).toBe('b.js\n1:f(x)')
  expect(await content({ glob: '*.ts', ignore_case: true })).toBe('a.ts\n1:f(x)\n\nc.ts\n1:F(X)')
})

test('what git does not know, secrets, binary files and links are not searched', async () => {
  const workdir = await aTree({
    '.gitignore': 'dist/\n*.log\n!keep.log\n',
    'dist/a': 'x',
    'b.log': 'x',
    'keep.log': 'x',
    'sub/.gitignore': 'own\n!b.log',
    'sub/own': 'x',
    'sub/b.log': 'x',
    '.git/config': 'x',
    'node_modules/p/i.js': 'x',
    '.holdpoint/http-token': 'x',
    binary: 'x\0',
    '.env.example': 'x',
  })
  await symlink('/etc', join(workdir, 'etc'))
  expect((await search(workdir, { pattern: 'x' }))['content']).toBe(
    '.env.example\n1:x\n\nkeep.log\n1:x\n\nsub/b.log\n1:x',
  )
  expect((await search(workdir, { pattern: 'x', path: 'sub' }))['content']).toBe('b.log\n1:x')
  expect((await find(workdir, { pattern: '*.log' }))['files']).toHaveLength(2)
  await expect(search(workdir, { pattern: 'x', path: '.holdpoint/http-token' })).rejects.toMatchObject({
    code: 'SECRET_FILE',
  })
  await expect(search(workdir, { pattern: 'x', path: 'etc' })).rejects.toMatchObject({ code: 'PATH_OUTSIDE_WORKDIR' })
})

test('what is found has bounds, and it is told that there is more', async () => {
  const workdir = await aTree({ a: 'x\n'.repeat(150), b: 'x\n'.repeat(150), c: 'y'.repeat(1000) })
  expect(await search(workdir, { pattern: 'x' })).toMatchObject({ matches: 200, files: 2, more: true })
  const { content } = await search(workdir, { pattern: 'y' })
  expect(content).toMatch(/^c\n1:y{400} \[… 1000 characters …\]$/)
})

test('exactly as many matches as fit are all there are', async () => {
  const workdir = await aTree({ a: 'x\n'.repeat(200) })
  expect(await search(workdir, { pattern: 'x' })).toMatchObject({ matches: 200, more: false })
})

test('an expression that is none is refused, and one that never ends is stopped', async () => {
  const workdir = await aTree({ a: `${'a'.repeat(50)}!` })
  await expect(search(workdir, { pattern: '(' })).rejects.toMatchObject({ code: 'INVALID_PATTERN' })
  await expect(search(workdir, { pattern: '(a+)+$' })).rejects.toMatchObject({ code: 'PATTERN_TOO_SLOW' })
  expect(await search(workdir, { pattern: '\\-|\\!' })).toMatchObject({ matches: 1 })
  await expect(search(workdir, { pattern: 'a' }, AbortSignal.abort())).rejects.toMatchObject({
    code: 'TOOL_CALL_INTERRUPTED',
  })
})

test('the files that changed last are found first', async () => {
  const workdir = await aTree({ 'old.ts': '', 'src/new.ts': '', 'c.js': '' })
  await utimes(join(workdir, 'old.ts'), 1, 1)
  expect(await find(workdir, { pattern: '*.ts' })).toEqual({ path: '.', files: ['src/new.ts', 'old.ts'], more: false })
  await expect(find(workdir, { pattern: '*', path: 'c.js' })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' })
})
