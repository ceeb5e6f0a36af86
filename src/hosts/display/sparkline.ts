const BARS = '▁▂▃▄▅▆▇█'

/** Numbers from 0 as a line of bars, at most so many wide: neighbours are added up. Nothing at all is a blank. */
export function sparkline(values: readonly number[], width: number = values.length): string {
  const each = Math.max(1, Math.ceil(values.length / Math.max(1, width)))
  const sums = Array.from({ length: Math.ceil(values.length / each) }, (_, index) =>
    values.slice(index * each, (index + 1) * each).reduce((sum, value) => sum + value, 0),
  )
  const most = Math.max(1, ...sums)
  return sums.map(sum => (sum === 0 ? ' ' : BARS.charAt(Math.ceil((sum / most) * BARS.length) - 1))).join('')
}
