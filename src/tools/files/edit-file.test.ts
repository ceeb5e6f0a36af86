import { chmod, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { editFile } from './edit-file.ts'

async function aWorkdir(): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  return workdir
}

interface Edited {
  edit(old_text: string, new_text: string, more?: JsonObject): ReturnType<Tool['execute']>
  content(): Promise<string>
  readonly file: string
}

async function aFile(content: string | Buffer): Promise<Edited> {
  const workdir = await aWorkdir()
  const file = join(workdir, 'f')
  await writeFile(file, content)
  const context = toolContext({ workdir })
  return {
    file,
    edit: (old_text, new_text, more) => editFile().execute({ path: 'f', old_text, new_text, ...more }, context),
    content: () => readFile(file, 'utf8'),
  }
}

test('text that occurs once is replaced, and the mode of the file stays', async () => {
  const { edit, content, file } = await aFile('one two three')
  await chmod(file, 0o700)
  expect(await edit('two', '2')).toEqual({ path: 'f', replacements: 1 })
  expect(await content()).toBe('one 2 three')
  expect((await stat(file)).mode & 0o777).toBe(0o700)
})

test('the new text is taken as it is', async () => {
  const { edit, content } = await aFile('one two')
  await edit('two', "$& $1 $$ $'")
  expect(await content()).toBe("one $& $1 $$ $'")
})

test('text that occurs more than once is replaced only when all of it is meant', async () => {
  const { edit, content } = await aFile('a-a-a')
  await expect(edit('a', 'b')).rejects.toMatchObject({
    code: 'TEXT_NOT_UNIQUE',
    message: expect.stringContaining('occurs 3 times in "f", so nothing was changed'),
  })
  expect(await content()).toBe('a-a-a')
  expect(await edit('a', 'b', { replace_all: true })).toMatchObject({ replacements: 3 })
  expect(await content()).toBe('b-b-b')
})

test('text that does not occur is told so', async () => {
  const { edit } = await aFile('one\r\ntwo\r\n')
  await expect(edit('three', '3')).rejects.toMatchObject({
    code: 'TEXT_NOT_FOUND',
    message: expect.stringContaining('occurs 0 times in "f"'),
  })
})

test('a file keeps its line ends and its byte order mark; an edit of these alone is refused', async () => {
  const { edit, content } = await aFile('\uFEFFone\r\ntwo\r\n')
  expect(await edit('one\ntwo\n', '1\n2\n3\n')).toMatchObject({ replacements: 1 })
  expect(await content()).toBe('\uFEFF1\r\n2\r\n3\r\n')
  await expect(edit('1\r\n', '1\n')).rejects.toMatchObject({
    code: 'NOTHING_TO_EDIT',
    message: expect.stringContaining('a file keeps those'),
  })
})

test('an edit that changes nothing is refused', async () => {
  const { edit } = await aFile('one')
  await expect(edit('one', 'one')).rejects.toMatchObject({ code: 'NOTHING_TO_EDIT' })
  await expect(edit('', 'one')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
})

test('what is not touched stays byte for byte', async () => {
  const { edit, content } = await aFile('\uFEFFone\r\ntwo\0')
  await edit('one', '1')
  expect(await content()).toBe('\uFEFF1\r\ntwo\0')
})

test('a file that is no UTF-8 is refused, because it could not be written back', async () => {
  const { edit } = await aFile(Buffer.from([0x61, 0xe9]))
  await expect(edit('a', 'b')).rejects.toMatchObject({ code: 'BINARY_FILE' })
})

test('edits of one file at the same time all count', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `<${index}>`)
  const { edit, content } = await aFile(names.join(''))
  await Promise.all(names.map((name, index) => edit(name, `[${index}]`)))
  expect(await content()).toBe(names.map((_, index) => `[${index}]`).join(''))
})

test('nothing outside is edited', async () => {
  const { edit, file } = await aFile('x')
  const outside = join(await aWorkdir(), 'secret')
  await writeFile(outside, 'secret')
  await rm(file)
  await symlink(outside, file)
  await expect(edit('secret', 'gone')).rejects.toMatchObject({ code: 'PATH_OUTSIDE_WORKDIR' })
  expect(await readFile(outside, 'utf8')).toBe('secret')
})

test('a file that is not there cannot be edited', async () => {
  const { edit, file } = await aFile('x')
  await rm(file)
  await expect(edit('x', 'y')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
})
