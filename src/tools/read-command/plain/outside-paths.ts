/** Words as paths: what is, or may be, outside of the directory of a run. */

import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

/** A word as the program may get it: one of some texts, or patterns of names; `null`: any text. */
export type PlainValue = readonly { readonly text: string; readonly isPattern: boolean }[] | null

export interface ReadingPlace {
  /** The directories in which the command may run, absolute; the first is that of the run. */
  readonly directories: readonly string[]
  /** The command that writes what this one reads, if that is known. */
  readonly before?: readonly PlainValue[] | undefined
}

/** The text of a word that can be nothing else. */
export function literal(value: PlainValue | undefined): string | null {
  const [only, ...more] = value ?? []
  return only && more.length === 0 && !only.isPattern ? only.text : null
}

export function firstOutside(values: readonly PlainValue[], place: ReadingPlace): string | null {
  return values.map(each => whyOutside(each, place)).find(why => why !== null) ?? null
}

/** Why a word is, or may be, a path that leads out of the directory of the run, by its text or by links. */
export function whyOutside(value: PlainValue, place: ReadingPlace): string | null {
  if (value === null) return 'a path is not known'
  const out = value.find(each => leadsOut(each, place))
  return out ? `${out.text} may lie outside of the directory` : null
}

const CLIMBS = /^~|(?:^|[/:])\.\.(?:\/|$)/
/** Tokens of Holdpoint, in the home of their owner. */
const KEPT = /(?:^|\/)holdpoint\/secrets(?:\/|$)/
/** Some shells take `.?` and `.*` for `..` too. */
export const MAY_CLIMB: RegExp = /(?:^|\/)\.[*?[]/

function leadsOut({ text, isPattern }: { text: string; isPattern: boolean }, { directories }: ReadingPlace): boolean {
  const [root = '/'] = directories
  if (CLIMBS.test(text) || KEPT.test(text) || (isPattern && MAY_CLIMB.test(text))) return true
  const paths = directories.map(each => resolve(each, text))
  if (!paths.every(path => isWithin(path, resolve(root)))) return true
  // Where no directory is, no link leads out of it.
  if (!isThere(root)) return false
  const found = isPattern ? [...paths, ...directories.flatMap(cwd => namesFor(text, cwd))] : paths
  const real = realpathSync(root)
  return !found.every(path => isWithin(nearest(path), real) && !KEPT.test(path))
}

/**
 * The paths that a pattern matches now. A name that begins with a dash would be an option, so it counts as leading out.
 */
function namesFor(pattern: string, cwd: string): readonly string[] {
  const found = pathsOfPattern(pattern, cwd)
  return found?.map(path => (path.startsWith(`${resolve(cwd)}${sep}-`) ? '/' : path)) ?? ['/']
}

/** The real place of the path, or of the nearest directory above it that is there. */
function nearest(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return isThere(path) ? '/' : nearest(dirname(path))
  }
}

/** A link that leads nowhere is there. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

/** More than a person could have meant; a larger directory is a reason to ask. */
const MOST_ENTRIES = 5_000
const MOST_FOUND = 1_000

/**
 * The paths that a pattern matches now, and each path on the way, as a shell finds them, through links; `null` if there
 * are too many, or a name is no text.
 */
function pathsOfPattern(pattern: string, cwd: string): readonly string[] | null {
  let places: readonly string[] = [pattern.startsWith('/') ? '/' : cwd]
  const all: string[] = []
  for (const step of pattern.split('/').filter(each => each !== '' && each !== '.')) {
    const found = /[*?[]/.test(step) ? stepInto(places, wanted(step)) : places.map(place => join(place, step))
    if (found === null) return null
    places = found
    all.push(...found)
  }
  return all
}

function stepInto(places: readonly string[], isWanted: (name: string) => boolean): readonly string[] | null {
  const found: string[] = []
  let entries = 0
  for (const place of places) {
    const names = namesIn(place)
    entries += names.length
    found.push(...names.filter(isWanted).map(name => join(place, name)))
    if (entries > MOST_ENTRIES || found.length > MOST_FOUND || names.some(name => name.includes('\ufffd'))) return null
  }
  return found
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** A star matches no leading dot. Any character may be within brackets. */
function wanted(step: string): (name: string) => boolean {
  const source = step
    .replace(/\[[^\]]*\]/g, '?')
    .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replaceAll('?', '.')
    .replace(/\*+/g, '.*')
  const pattern = new RegExp(`^${source}$`, 'su')
  return name => pattern.test(name) && (step.startsWith('.') || !name.startsWith('.'))
}
