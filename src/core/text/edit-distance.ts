/** How many letters must be put in, left out, exchanged or swapped with their neighbour to make one word of the other. */
export function editDistance(one: string, other: string): number {
  const rows: number[][] = [[...Array(other.length + 1).keys()]]
  for (let i = 1; i <= one.length; i += 1) rows.push(nextRow(rows, one, other))
  return rows.at(-1)?.[other.length] ?? 0
}

/** Each cell is the distance of the first letters of both words. */
function nextRow(rows: readonly (readonly number[])[], one: string, other: string): number[] {
  const i = rows.length
  const [above = [], twoAbove] = [rows[i - 1], rows[i - 2]]
  const row = [i]
  for (let j = 1; j <= other.length; j += 1) {
    const exchanged = cell(above, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1)
    const isSwap = j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
    const swapped = isSwap ? cell(twoAbove, j - 2) + 1 : Number.POSITIVE_INFINITY
    row.push(Math.min(cell(above, j) + 1, cell(row, j - 1) + 1, exchanged, swapped))
  }
  return row
}

function cell(row: readonly number[] | undefined, at: number): number {
  return row?.[at] ?? Number.POSITIVE_INFINITY
}

/** From this length on a word may be two letters off. `hello` is two from `help`, and is not meant as it. */
const LONG = 5

/** The word that was probably meant; `null` if none is near. Upper case is lower case. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  return nearestWords(written, words)[0] ?? null
}

/** All words that may have been meant, the nearest first. */
export function nearestWords(written: string, words: readonly string[]): readonly string[] {
  return words
    .map(word => ({ word, distance: editDistance(written.toLowerCase(), word) }))
    .filter(({ word, distance }) => distance <= (word.length < LONG ? 1 : 2))
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ word }) => word)
}
