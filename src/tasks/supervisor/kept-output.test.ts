import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/runs.ts'
import { type SegmentSizes, TAIL_SEGMENTS } from '../output-segments.ts'
import { readOutput } from '../read-output.ts'
import { KeptOutput } from './kept-output.ts'

class Place implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'holdpoint-output-'));
  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

const stream = 'stdout'

/** Text of one to four bytes a character, and bytes that are no text. */
const printed = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }).map(text => Buffer.from(text)),
    fc.uint8Array({ maxLength: 6 }).map(bytes => Buffer.from(bytes)),
    fc.constantFrom('a', 'ä', '€', '😀', '😀😀😀').map(text => Buffer.from(text)),
    fc
      .constantFrom([0xf0, 0x9f], [0x80, 0x80, 0x80, 0x80, 0x80], [0xc3], [0xff, 0x80])
      .map(bytes => Buffer.from(bytes)),
  ),
  { maxLength: 40 },
)
const sizes: fc.Arbitrary<SegmentSizes> = fc.record({
  head: fc.integer({ min: 1, max: 40 }),
  segment: fc.integer({ min: 1, max: 60 }),
})

function keep(directory: string, chunks: readonly Buffer[], segmentSizes: SegmentSizes): Buffer {
  using output = new KeptOutput({ directory, stream, sizes: segmentSizes })
  for (const chunk of chunks) output.write(chunk)
  expect(output.fault).toBeNull()
  return Buffer.concat(chunks)
}

/** What must be kept: the first bytes and the last. */
function edges(size: number, { head, segment }: SegmentSizes): { headEnd: number; tailBegin: number } {
  const headEnd = Math.min(head, size)
  const behind = Math.max(0, size - head)
  const kept = behind === 0 ? 0 : segment * (TAIL_SEGMENTS - 1) + (behind % segment || segment)
  return { headEnd, tailBegin: Math.max(headEnd, size - Math.min(behind, kept)) }
}

function pages(directory: string, size: number | null, limit: number): ReturnType<typeof readOutput>[] {
  const read: ReturnType<typeof readOutput>[] = []
  for (let from = 0; ; ) {
    const page = readOutput({ directory, stream, size, isOver: size !== null }, { from, limit })
    if (page.next === from) return read
    read.push(page)
    from = page.next
  }
}

test('whatever the chunks, the beginning and the end are kept to the byte, and pages make up the whole text', () => {
  fc.assert(
    fc.property(printed, sizes, fc.integer({ min: 1, max: 30 }), (chunks, segmentSizes, limit) => {
      using place = new Place()
      const all = keep(place.directory, chunks, segmentSizes)
      const { headEnd, tailBegin } = edges(all.length, segmentSizes)
      const read = pages(place.directory, all.length, limit)
      expect(read.every(({ size }) => size === all.length)).toBe(true)
      const gap = read.findIndex(({ missing }) => missing > 0)
      if (headEnd === tailBegin) {
        expect(gap).toBe(-1)
        expect(read.map(({ text }) => text).join('')).toBe(all.toString('utf8'))
        return
      }
      const [head, tail] = [read.slice(0, gap), read.slice(gap)].map(part => ({
        begin: part[0]?.from ?? 0,
        end: part.at(-1)?.next ?? 0,
        text: part.map(({ text }) => text).join(''),
      }))
      expect(head).toEqual({ begin: 0, end: head!.end, text: all.subarray(0, head!.end).toString('utf8') })
      expect(headEnd - head!.end).toBeLessThanOrEqual(3)
      expect(tail).toEqual({ begin: tail!.begin, end: all.length, text: all.subarray(tail!.begin).toString('utf8') })
      expect(tail!.begin - tailBegin).toBeGreaterThanOrEqual(0)
      expect(tail!.begin - tailBegin).toBeLessThanOrEqual(3)
      expect(read[gap]?.missing).toBe(tail!.begin - head!.end)
    }),
    { numRuns: runs(400) },
  )
})

test('whoever follows it while it is written reads the same text, and no character before all of it is there', () => {
  fc.assert(
    fc.property(printed, fc.integer({ min: 1, max: 30 }), (chunks, limit) => {
      using place = new Place()
      using output = new KeptOutput({ directory: place.directory, stream, sizes: { head: 16, segment: 4096 } })
      let [text, from] = ['', 0]
      const follow = (size: number | null) => {
        for (let before = -1; before !== from; ) {
          before = from
          const page = readOutput({ directory: place.directory, stream, size, isOver: size !== null }, { from, limit })
          text += page.text
          from = page.next
        }
      }
      for (const chunk of chunks) {
        output.write(chunk)
        follow(null)
      }
      follow(output.size)
      expect(text).toBe(Buffer.concat(chunks).toString('utf8'))
    }),
    { numRuns: runs(200) },
  )
})

test('a place before the end is meant as so many bytes, and never cuts the character there', () => {
  using place = new Place()
  const all = keep(place.directory, [Buffer.from('one 😀 two')], { head: 100, segment: 100 })
  const last = (from: number) =>
    readOutput({ directory: place.directory, stream, size: all.length, isOver: true }, { from }).text
  expect([-3, -4, -5, -6, -7, -8, -100].map(last)).toEqual([
    'two',
    ' two',
    '😀 two',
    '😀 two',
    '😀 two',
    '😀 two',
    'one 😀 two',
  ])
})

test('what is kept is for its owner alone, and bounded', () => {
  using place = new Place()
  keep(
    place.directory,
    Array.from({ length: 100 }, () => Buffer.alloc(999, 'x')),
    { head: 1000, segment: 2000 },
  )
  const kept = readdirSync(place.directory).map(name => statSync(join(place.directory, name)))
  expect(kept.every(({ mode }) => (mode & 0o777) === 0o600)).toBe(true)
  expect(kept.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(1000 + TAIL_SEGMENTS * 2000)
})

test('output that cannot be kept is counted, and said', () => {
  using place = new Place()
  using output = new KeptOutput({ directory: place.directory, stream, sizes: { head: 4, segment: 4 } })
  output.write(Buffer.from('abcd'))
  // In the way of the next file.
  writeFileSync(join(place.directory, 'stdout.4'), '')
  output.write(Buffer.from('efghij'))
  output.write(Buffer.from('k'))
  expect(output.fault).toMatch(/EEXIST/)
  expect(output.size).toBe(11)
  const kept = { directory: place.directory, stream, size: output.size, isOver: true } as const
  expect(readOutput(kept, {})).toEqual({ text: 'abcd', from: 0, next: 4, size: 11, missing: 0 })
  expect(readOutput(kept, { from: 4 })).toEqual({ text: '', from: 11, next: 11, size: 11, missing: 7 })
})

test('output that rotates while it is read is read to its end, and never goes back', async () => {
  using place = new Place()
  const writes = runs(40_000)
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const printing = `
    const { KeptOutput } = await import(${url('kept-output.ts')})
    using output = new KeptOutput({ directory: ${JSON.stringify(place.directory)}, stream: 'stdout', sizes: { head: 8, segment: 8 } })
    for (let at = 0; at < ${writes}; at++) output.write(Buffer.from('12345678'))
  `
  const printer = spawn(process.execPath, ['--input-type=module', '--eval', printing], { stdio: 'ignore' })
  let isOver = false
  const over = new Promise<number | null>(resolve => printer.once('close', resolve)).finally(() => {
    isOver = true
  })
  let next = 0
  while (!isOver) {
    const piece = readOutput({ directory: place.directory, stream, size: null, isOver: false }, { from: next })
    expect(piece.next).toBeGreaterThanOrEqual(next)
    next = piece.next
    readOutput({ directory: place.directory, stream, size: null, isOver: false }, { from: -16 })
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(await over).toBe(0)
  const end = { directory: place.directory, stream, size: 8 * writes, isOver: true } as const
  expect(readOutput(end, { from: next }).next).toBe(8 * writes)
})
