import { RefusedError } from '../../core/errors.ts'
import type { Given } from './flags.ts'

/** One of the words that a flag takes; `null` if it was not given. @throws RefusedError `invalid_arguments` */
export function oneOf<T extends string>(given: Given, flag: string, known: readonly T[]): T | null {
  const text = given.value(flag)
  const found = known.find(each => each === text)
  if (text === null || found) return found ?? null
  throw new RefusedError('invalid_arguments', `--${flag} ${JSON.stringify(text)} is not known.`, {
    hint: `Use ${known.join(', ')}.`,
  })
}

/** How many to list. @throws RefusedError `invalid_arguments` */
export function limitIn(given: Given): number {
  const text = given.value('limit')
  if (text === null) return 50
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new RefusedError('invalid_arguments', `--limit ${JSON.stringify(text)} is no whole number from 1.`)
}
