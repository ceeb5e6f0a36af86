import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { attachments } from './attachments.ts'

function aDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-files-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))
  return directory
}

test('a link that is put in the way while a file is opened never leads out of the directory', async () => {
  const outside = aDirectory()
  writeFileSync(join(outside, 'a.txt'), 'secret')
  const directory = aDirectory()
  mkdirSync(join(directory, 'sub'))
  writeFileSync(join(directory, 'sub/a.txt'), 'open')
  symlinkSync(outside, join(directory, 'link'))
  const over = new AbortController()
  const swapping = swap(directory, over.signal)
  const read = new Set<string>()
  for (let n = 0; n < 400; n++) {
    const [part] = await attachments([{ path: 'sub/a.txt' }], directory).catch(() => [])
    if (part && 'data' in part) read.add(Buffer.from(part.data ?? '', 'base64').toString())
  }
  over.abort()
  await swapping
  expect([...read]).not.toContain('secret')
})

/** The directory and a link out of it take turns under one name. */
async function swap(directory: string, signal: AbortSignal): Promise<void> {
  const [place, aside, link] = [join(directory, 'sub'), join(directory, 'aside'), join(directory, 'link')]
  while (!signal.aborted) {
    renameSync(place, aside)
    renameSync(link, place)
    await nextTurn()
    renameSync(place, link)
    renameSync(aside, place)
    await nextTurn()
  }
  unlinkSync(link)
}

test('many files, or files that are too large together, are refused before they are read', async () => {
  const directory = aDirectory()
  writeFileSync(join(directory, 'large.bin'), Buffer.alloc(11 * 1024 * 1024))
  await expect(attachments(Array(21).fill({ path: 'large.bin' }), directory)).rejects.toThrow('21 files')
  await expect(attachments(Array(2).fill({ path: 'large.bin' }), directory)).rejects.toThrow('too much')
})
