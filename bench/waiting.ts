import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { median, type Row } from './table.ts'

/** How many runs wait in the stores that the later parts look things up in. */
export const COUNTS = [0, 1_000, 10_000] as const

/** Made by (e). */
export function waitingStore(directory: string, count: number): string {
  return join(directory, `waiting-${count}.db`)
}

interface Measured {
  readonly count: number
  readonly rss: number
  readonly heapUsed: number
  readonly bytes: number
}

/** P6: what waits is rows in a table. Each store is made by a process of its own, whose memory counts. */
export async function measureWaiting(directory: string): Promise<Row[]> {
  const measured = COUNTS.map(count => {
    const first = measure(waitingStore(directory, count), count)
    // Resident memory swings by a tenth from process to process; the long one has had time to settle.
    const more = count > 1_000 ? [] : [1, 2].map(again => measure(`${waitingStore(directory, count)}-${again}`, count))
    const of = (what: 'rss' | 'heapUsed') => median([first, ...more].map(each => each[what]))
    return { ...first, rss: of('rss'), heapUsed: of('heapUsed') }
  })
  const [none] = measured
  if (!none) throw new Error('nothing was measured')
  return measured.map(({ count, rss, heapUsed, bytes }) => ({
    'waiting runs': count,
    'memory MB': rss / 2 ** 20,
    'x none (memory)': rss / none.rss,
    'heap MB': heapUsed / 2 ** 20,
    'x none (heap)': heapUsed / none.heapUsed,
    'KB stored/run': count === 0 ? '' : (bytes - none.bytes) / count / 1024,
  }))
}

/** With a young generation of one size: how far V8 lets it grow says how fast runs were started, not how many wait. */
function measure(path: string, count: number): Measured {
  const child = join(import.meta.dirname, 'hold-runs.ts')
  const flags = ['--expose-gc', '--max-semi-space-size=1']
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, child, path, String(count)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${count} waiting runs could not be made: ${stderr}`)
  return { count, ...JSON.parse(stdout), bytes: statSync(path).size }
}
