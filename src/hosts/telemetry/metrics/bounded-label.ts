/** The values of a label that is chosen elsewhere: the first `most` are told apart, all others are `other`. */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>()
  return value => {
    if (known.size < most) known.add(value)
    return known.has(value) ? value : OTHER
  }
}

const OTHER = 'other'
