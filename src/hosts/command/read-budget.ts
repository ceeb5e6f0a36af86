import { argumentRefusals } from '../refusals/argument-refusals.ts'
import type { Given } from './flags.ts'

/** Dollars, of `--budget`; `null` if it was not given. @throws RefusedError `invalid_arguments` */
export function readBudget(given: Given): number | null {
  const text = given.value('budget')
  if (text === null) return null
  const usd = /^\$?\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text.replace('$', '')) : 0
  if (usd > 0) return usd
  throw argumentRefusals.invalidValue(
    `--budget ${JSON.stringify(text)}`,
    'is no amount of dollars above 0',
    'Write --budget 2.50.',
  )
}
