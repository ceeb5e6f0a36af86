/** Columns for people, as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return columns([head, ...rows])
    .map(line => `${line.join('  ').trimEnd()}\n`)
    .join('')
}

/** The same cells, each as wide as the widest in its column. */
export function columns(lines: readonly (readonly string[])[]): string[][] {
  const count = Math.max(0, ...lines.map(({ length }) => length))
  const widths = Array.from({ length: count }, (_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  return lines.map(line => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
}
