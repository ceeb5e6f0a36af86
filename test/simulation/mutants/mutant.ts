import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type PromiseName = `P${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11}`

/** One bug that a developer could write: in `file`, the text `from` becomes `to`. */
export interface Mutant {
  readonly name: string
  readonly promise: PromiseName
  readonly file: string
  /** Stands once in the file. */
  readonly from: string
  readonly to: string
  /** What the failure of a suite says that found just this bug. */
  readonly shows: RegExp
}

/** The file with the bug in it. @throws Error if the text does not stand in the file once. */
export function mutated(root: string, { name, file, from, to }: Mutant): string {
  const text = readFileSync(join(root, file), 'utf8')
  const places = text.split(from).length - 1
  if (places !== 1) throw new Error(`${name}: its text stands ${places} times in ${file}; write the mutant anew`)
  return text.replace(from, () => to)
}
