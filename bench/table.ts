export type Row = Readonly<Record<string, string | number>>

/** Medians hold where means are carried away by a single slow disk. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

/** Milliseconds of each. */
export async function times(count: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < count; n += 1) {
    const start = performance.now()
    await work(n)
    all.push(performance.now() - start)
  }
  return all
}

/** The row of p50, and that of p99 with what is wanted of it. */
export function both(figure: string, all: readonly number[], wanted: string): Row[] {
  return [
    { figure: `${figure} at p50`, value: median(all), wanted: '' },
    { figure: 'the same, at p99', value: percentile(all, 0.99), wanted },
  ]
}

export function printTable(title: string, rows: readonly Row[]): void {
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map(row => names.map(name => shown(row[name] ?? '')))]
  const widths = names.map((_, column) => Math.max(...cells.map(line => line[column]?.length ?? 0)))
  console.log(`\n${title}\n`)
  for (const line of cells)
    console.log(`  ${line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('   ')}`)
}

function shown(value: string | number): string {
  if (Number.isInteger(value)) return String(value)
  return typeof value === 'number' ? value.toPrecision(3).replace(/\.0+$/, '') : value
}
