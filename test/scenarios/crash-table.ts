import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run crash` kills on both sides of every durable write. */
export const isWhole: boolean = process.env['HOLDPOINT_CRASHES'] === 'all'

/** For one story, in milliseconds: a whole one is killed some hundred times, each time with several processes after it. */
export const STORY_MS: number = isWhole ? 1_800_000 : 120_000

/** Which crashes `npm test` tries: one for every `step`-th write, beginning with number `from`. */
export interface Sample {
  readonly from: number
  readonly step: number
}

/** Where to kill a process that makes `count` durable writes; a sample takes the sides of the writes by turns. */
export function crashesAt(count: number, { from, step }: Sample): string[] {
  const all = Array.from({ length: count }, (_, index) => [`before:${index + 1}`, `after:${index + 1}`])
  if (isWhole) return all.flat()
  const sampled = all.filter((_, index) => index + 1 >= from && (index + 1 - from) % step === 0)
  return sampled.flatMap((sides, index) => sides[(index + from) % 2] ?? [])
}

/** The durable writes that a process told of (see crash-at-commit.mjs). */
export function namesIn(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split('\n')
}

/**
 * The list of a story's durable writes, in order: what it should be. A new write has no place in it, so its test fails
 * until `npm run crash -- --update` gave it one, for a reviewer to see.
 */
export function tableOf(title: string): string {
  return join(import.meta.dirname, 'crash-points', `${title.replace(/[^a-z0-9]+/gi, '-')}.txt`)
}

/** What the table says of `names`. */
export function asTable(names: readonly string[]): string {
  return names.map(name => `${name}\n`).join('')
}
