import { refused } from '../../../core/errors.ts'
import type { Given } from '../../command/flags.ts'

/** The event behind which to begin; `null` if it was not said. @throws RefusedError `invalid_arguments` */
export function sinceIn(given: Given): number | null {
  const text = given.value('since')
  if (text === null) return null
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw refused('invalid_arguments', `--since ${JSON.stringify(text)} is no whole number from 0.`, 'Name a `seq`.')
}
