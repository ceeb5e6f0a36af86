import { Coverage } from './coverage.ts'
import type { Lived } from './simulate.ts'

/** What many lives had in them together. */
export class Totals {
  lives = 0
  readonly coverage: Coverage = new Coverage()
  readonly interleavings: Set<number> = new Set()

  take({ coverage }: Lived): void {
    this.lives += 1
    this.coverage.add(coverage)
    this.interleavings.add(coverage.interleaving)
  }
}

export function printReport(totals: Totals, { from, seconds }: { from: number; seconds: number }): void {
  const { lives, coverage, interleavings } = totals
  console.log(`${lives} lives in ${seconds.toFixed(1)} s, seeds from ${from}`)
  console.log(`${interleavings.size} different interleavings, ${coverage.shapes.size} different shapes of state\n`)
  const rows = [...coverage.counts].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const width = Math.max(...rows.map(([what]) => what.length))
  for (const [what, times] of rows) console.log(`${what.padEnd(width)}  ${String(times).padStart(8)}`)
}

export function printTrace({ trace, failure }: Lived): void {
  for (const line of trace) console.log(line)
  console.log(failure ? `x ${failure.message}` : '. nothing broke')
}
