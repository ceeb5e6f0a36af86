import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { patienceMs } from '../patience.ts'

/** `npm run crash` kills on both sides of every durable write. */
export const isWhole: boolean = process.env['HOLDPOINT_CRASHES'] === 'all'

/** For one story, in milliseconds: a whole one is killed some hundred times, each time with several processes after it. */
export const STORY_MS: number = isWhole ? 90 * patienceMs() : 6 * patienceMs()

/**
 * Which crashes of some stories are tried. By day each kind of write is hit in one story, and each story at one write or
 * more. Every run chooses others, so that days add up. Each side of each write is tried by `npm run crash`.
 */
export class CrashSample {
  readonly #chosen: readonly Write[]

  /** @param titles as the tables of the stories have them. */
  constructor(titles: readonly string[]) {
    const all = titles.flatMap(title => tabled(title).map((name, index) => ({ title, name, number: index + 1 })))
    const ofKinds = oneOfEach(all, ({ name }) => name)
    const left = all.filter(({ title }) => !ofKinds.some(chosen => chosen.title === title))
    this.#chosen = [...ofKinds, ...oneOfEach(left, ({ title }) => title)]
  }

  /** Where to kill a process of the story that makes `count` durable writes. */
  crashesAt(title: string, count: number): string[] {
    if (isWhole)
      return Array.from({ length: count }, (_, index) => [`before:${index + 1}`, `after:${index + 1}`]).flat()
    const numbers = this.#chosen.filter(chosen => chosen.title === title).map(({ number }) => number)
    return numbers.toSorted((a, b) => a - b).map(number => `${oneOf(['before', 'after'])}:${number}`)
  }
}

interface Write {
  readonly title: string
  readonly name: string
  readonly number: number
}

function oneOfEach(writes: readonly Write[], kindOf: (write: Write) => string): Write[] {
  return [...Map.groupBy(writes, kindOf).values()].map(oneOf)
}

function oneOf<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)] as T
}

/** Nothing for a story without a table, whose test fails for that. */
function tabled(title: string): string[] {
  return existsSync(tableOf(title)) ? namesIn(tableOf(title)) : []
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
