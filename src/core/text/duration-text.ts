const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** A length of time in milliseconds in its two largest units, rounded down: `3 min`, `2 h 30 min`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const largest = UNITS.findIndex(([length]) => seconds >= length)
  if (largest < 0) return '0 s'
  const [[length, name] = [1, 's'], smaller] = UNITS.slice(largest, largest + 2)
  const rest = smaller ? Math.floor((seconds % length) / smaller[0]) : 0
  const more = smaller && smaller[1] !== 's' && rest > 0 ? ` ${rest} ${smaller[1]}` : ''
  return `${Math.floor(seconds / length)} ${name}${more}`
}
