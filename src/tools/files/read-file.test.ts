import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toolParts } from '../../core/message/tool-parts.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import type { FileOptions } from './locate.ts'
import { readFile } from './read-file.ts'

async function aWorkdir(): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  return workdir
}

async function read(workdir: string, args: JsonObject, options?: FileOptions): Promise<JsonObject> {
  return (await readFile(options).execute(args, toolContext({ workdir }))) as JsonObject
}

test('a file is read whole', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'a.txt'), 'one\r\ntwo €\nthree')
  expect(await read(workdir, { path: './a.txt' })).toEqual({
    path: 'a.txt',
    content: 'one\r\ntwo €\nthree',
    offset: 1,
    lines: 3,
    total_lines: 3,
    more: false,
  })
})

test('a notebook is read as Markdown, in lines, and what only has its name as the text that it is', async () => {
  const workdir = await aWorkdir()
  const cells = [
    { cell_type: 'markdown', source: ['# Sales\n', 'of tea'] },
    { cell_type: 'code', source: 'total()', outputs: [{ data: { 'text/plain': '7', 'image/png': 'iVBO' } }] },
  ]
  await writeFile(join(workdir, 'a.ipynb'), JSON.stringify({ cells }))
  const content = '# Sales\nof tea\n\n```\ntotal()\n```\n```\n7\n```'
  expect(await read(workdir, { path: 'a.ipynb' })).toMatchObject({ content, total_lines: 9, more: false })
  expect(await read(workdir, { path: 'a.ipynb', offset: 5, limit: 1 })).toMatchObject({ lines: 1, more: true })
  for (const text of ['', 'no json', '[]', '{"cells":1}']) {
    await writeFile(join(workdir, 'b.ipynb'), text)
    expect(await read(workdir, { path: 'b.ipynb' })).toMatchObject({ content: text })
  }
})

test('an empty file has no lines', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'a.txt'), '')
  expect(await read(workdir, { path: 'a.txt' })).toMatchObject({ content: '', lines: 0, total_lines: 0, more: false })
})

test('lines are read from an offset, and it is told where to read on', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'a.txt'), 'one\ntwo\nthree\nfour\n')
  expect(await read(workdir, { path: 'a.txt', offset: 2, limit: 2 })).toEqual({
    path: 'a.txt',
    content: 'two\nthree\n[… more lines follow; read on with offset 4 …]',
    offset: 2,
    lines: 2,
    total_lines: null,
    more: true,
  })
  expect(await read(workdir, { path: 'a.txt', offset: 4 })).toMatchObject({
    content: 'four\n',
    lines: 1,
    total_lines: 4,
  })
  expect(await read(workdir, { path: 'a.txt', offset: 9 })).toMatchObject({ content: '', lines: 0, total_lines: 4 })
})

test('of a large file as many whole lines are read as fit, and reading on gives all of it', async () => {
  const workdir = await aWorkdir()
  const text = Array.from({ length: 30_000 }, (_, line) => `line ${line} €\n`).join('')
  await writeFile(join(workdir, 'a.txt'), text)
  let whole = ''
  let offset = 1
  for (let more = true; more; ) {
    const part = await read(workdir, { path: 'a.txt', offset, limit: 100_000 })
    const content = String(part['content']).replace(/\[… more lines follow; read on with offset \d+ …\]$/, '')
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(64 * 1024)
    whole += content
    offset += Number(part['lines'])
    more = part['more'] === true
  }
  expect(whole === text).toBe(true)
})

test('a line that is too long is cut at a whole character, and reading goes on after it', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'a.txt'), `first\nx${'€'.repeat(200_000)}\nlast\n`)
  const part = await read(workdir, { path: 'a.txt', offset: 2 })
  expect(String(part['content']).replace(/€+/, '€')).toBe(
    'x€\n[… the rest of this line is left out: it is too long …]\n[… more lines follow; read on with offset 3 …]',
  )
  expect(await read(workdir, { path: 'a.txt', offset: 1 })).toMatchObject({ lines: 1, more: true })
  expect(await read(workdir, { path: 'a.txt', offset: 3 })).toMatchObject({ content: 'last\n', total_lines: 3 })
})

test('a binary file is refused', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'a.bin'), Buffer.from([1, 0, 2]))
  await expect(read(workdir, { path: 'a.bin' })).rejects.toMatchObject({
    code: 'BINARY_FILE',
    message: '"a.bin" is not text: it has NUL bytes. Look at it with a command instead.',
  })
})

test('text in another encoding is read as well as can be', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'a.txt'), Buffer.from([0x61, 0xe9, 0x62]))
  expect(await read(workdir, { path: 'a.txt' })).toMatchObject({ content: 'a\uFFFDb' })
})

test('a directory, a pipe and a file that is not there are told apart', async () => {
  const workdir = await aWorkdir()
  await mkdir(join(workdir, 'dir'))
  execFileSync('mkfifo', [join(workdir, 'pipe')])
  await writeFile(join(workdir, 'file'), '')
  await expect(read(workdir, { path: 'dir' })).rejects.toMatchObject({ code: 'NOT_A_FILE' })
  await expect(read(workdir, { path: 'pipe' })).rejects.toMatchObject({ code: 'NOT_A_FILE' })
  await expect(read(workdir, { path: 'file/x' })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' })
  await expect(read(workdir, { path: 'none' })).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: '"none" does not exist.',
  })
})

test('what is outside the working directory is not read, by whatever path', async () => {
  const workdir = await aWorkdir()
  const outside = await aWorkdir()
  await writeFile(join(outside, 'secret'), 'secret')
  await symlink(outside, join(workdir, 'link'))
  await symlink(join(outside, 'secret'), join(workdir, 'file-link'))
  for (const path of [
    join(outside, 'secret'),
    'link/secret',
    'file-link',
    '../x',
    `${workdir}-sibling`,
    '/etc/hostname',
  ]) {
    await expect(read(workdir, { path })).rejects.toMatchObject({ code: 'PATH_OUTSIDE_WORKDIR' })
  }
  expect(await read(workdir, { path: 'link/secret' }, { allowOutside: true })).toMatchObject({ content: 'secret' })
})

test('a link that stays inside, and a name that only begins with dots, are read', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, '..dots'), 'dots')
  await symlink('..dots', join(workdir, 'link'))
  expect(await read(workdir, { path: '..dots' })).toMatchObject({ content: 'dots' })
  expect(await read(workdir, { path: 'link' })).toMatchObject({ content: 'dots' })
})

test('links in a circle and paths that are none are refused', async () => {
  const workdir = await aWorkdir()
  await symlink('b', join(workdir, 'a'))
  await symlink('a', join(workdir, 'b'))
  await expect(read(workdir, { path: 'a' })).rejects.toMatchObject({ code: 'SYMLINK_LOOP' })
  await expect(read(workdir, { path: 'a\0b' })).rejects.toMatchObject({ code: 'INVALID_PATH' })
  await expect(read(workdir, { path: '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test.each([
  ['image/png', PNG],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
  ['image/gif', Buffer.from('GIF89a\x01\0\x01\0\x80', 'latin1')],
  ['image/webp', Buffer.from('RIFF\x1a\0\0\0WEBPVP8L', 'latin1')],
])('an image is given to the model, as %s by its first bytes and not by its name', async (media_type, bytes) => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'shot.txt'), bytes)
  const read = await readFile().execute({ path: 'shot.txt' }, toolContext({ workdir }))
  expect(read).toEqual(
    toolParts([
      { type: 'text', text: `shot.txt: ${media_type}, ${bytes.length} bytes` },
      { type: 'image', media_type, data: bytes.toString('base64') },
    ]),
  )
})

test('a text that begins like an image is read as text, and an image that is too large is refused', async () => {
  const workdir = await aWorkdir()
  await writeFile(join(workdir, 'note'), 'GIF89a is the magic of a GIF\n')
  expect(await read(workdir, { path: 'note' })).toMatchObject({ lines: 1 })
  await writeFile(join(workdir, 'large.png'), Buffer.concat([PNG, Buffer.alloc(3_750_001 - PNG.length)]))
  await expect(read(workdir, { path: 'large.png' })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
  await writeFile(join(workdir, 'blob'), 'a\0b')
  await expect(read(workdir, { path: 'blob' })).rejects.toMatchObject({ code: 'BINARY_FILE' })
})
