import { RefusedError } from '../../core/errors.ts'
import { faultsText, type ReadJson, readExactly } from '../../core/plain/exact-json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { treeFault } from '../../core/text/tree-fault.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { shellWord } from '../process/shell-word.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import type { Given } from './flags.ts'

/** One of the words that a flag takes; `null` if it was not given. @throws RefusedError `invalid_arguments` */
export function oneOf<T extends string>(given: Given, flag: string, known: readonly T[]): T | null {
  const text = given.value(flag)
  const value = known.find(each => each === text)
  if (text === null || value) return value ?? null
  throw argumentRefusals.unknownValue(flag, text, `Use ${known.join(', ')}.`)
}

/** How many to list. @throws RefusedError `invalid_arguments` */
export function limitIn(given: Given): number {
  const text = given.value('limit')
  if (text === null) return 50
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw argumentRefusals.invalidCount('limit', text)
}

/** The same command once more for the page after `last`, as a line, with those of `flags` that were given. */
export function pageAfter(given: Given, last: string, [command, ...flags]: readonly string[]): string {
  const filters = flags.flatMap(flag => {
    const value = given.value(flag)
    if (value !== null) return [shellWord(`--${flag}=${value}`)]
    return given.has(flag) ? [`--${flag}`] : []
  })
  return `${['holdpoint', command, ...filters, `--after ${last}${placeFlags(given)}`].join(' ')}\n`
}

/** The value of `--timeout`, `null` without one. @throws RefusedError if it is no number of seconds */
export function secondsIn(given: Given, hint: string): number | null {
  const text = given.value('timeout')
  if (text === null) return null
  if (/^\d{1,8}(\.\d+)?$/.test(text)) return Number(text)
  throw argumentRefusals.invalidSeconds(text, hint)
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 }
/** A hundred years. A longer duration is a mistake, and no date may be so far away. */
const LONGEST_MS = 36_525 * 86_400_000
const DURATION = /^(\d{1,9})\s*(s|m|min|h|d|w)$/

/** `30d`, `12h`: in milliseconds, at most a hundred years; `null` if the text is no duration. */
function durationIn(text: string): number | null {
  const [, count, unit = ''] = DURATION.exec(text.trim()) ?? []
  const duration = count === undefined ? null : Number(count) * (UNITS[unit] ?? 0) * 1000
  return duration !== null && duration <= LONGEST_MS ? duration : null
}

/** A length of time, as an ISO time so long before `now`. @throws RefusedError `invalid_arguments` */
export function timeBefore(text: string, flag: string, now: number): string {
  const duration = durationIn(text)
  if (duration === null) throw invalid(text, flag, 'Write a length of time, like 30d, 12h or 90min.')
  return new Date(now - duration).toISOString()
}

/** A length of time before `now`, or an ISO time, as an ISO time. @throws RefusedError `invalid_arguments` */
export function timeAgo(text: string, flag: string, now: number): string {
  const duration = durationIn(text)
  if (duration !== null) return new Date(now - duration).toISOString()
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw invalid(text, flag, 'Write a length of time, like 30d or 12h, or a time, like 2030-01-31T12:00:00Z.')
}

/** A length of time from `now` on, or an ISO time, as an ISO time. @throws RefusedError `invalid_arguments` */
export function timeAhead(text: string, flag: string, now: number): string {
  const duration = durationIn(text)
  if (duration !== null) return new Date(now + duration).toISOString()
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw invalid(text, flag, 'Write a length of time, like 30d or 12h, or a time, like 2030-01-31T12:00:00Z.')
}

function invalid(text: string, flag: string, hint: string): RefusedError {
  return argumentRefusals.invalidTime(flag, text, hint)
}

/** Its name in a message, and how to write it. */
interface WrittenValue {
  readonly what: string
  readonly hint: string
}

/** A value that was written on the command line. @throws RefusedError `invalid_arguments` */
export function jsonValue(text: string, { what, hint }: WrittenValue): Json {
  const refuse = (problem: string) => argumentRefusals.invalidValue(what, problem, hint)
  let read: ReadJson
  try {
    read = readExactly(text)
  } catch {
    throw refuse('is no JSON')
  }
  const { value, faults } = read
  // P9: what would run is what was written, or nothing.
  if (faults.length > 0) throw refuse(`cannot be used: ${faultsText(faults, 'value').replace(/\.$/, '')}`)
  const fault = treeFault(value)
  if (fault) throw refuse(fault)
  return value
}

/** @throws RefusedError `invalid_arguments` */
export function jsonObject(text: string, written: WrittenValue): JsonObject {
  const value = jsonValue(text, written)
  if (isJsonObject(value)) return value
  throw new RefusedError('invalid_arguments', `${written.what} is no JSON object.`, { hint: written.hint })
}

/** The flags that lead the next command to the same place; empty if there were none. */
export function placeFlags({ value }: Pick<Given, 'value'>): string {
  const places = { store: givenStore({ value }), server: value('server') }
  return Object.entries(places)
    .map(([name, place]) => (place === null ? '' : ` --${name} ${shellWord(place)}`))
    .join('')
}

/** The store that a flag named, for a command to copy. */
export function givenStore({ value }: Pick<Given, 'value'>): string | null {
  const url = value('store')
  return url === null ? null : new StoreLocation(url).commandUrl
}
