import { isJsonObject, type Json } from '../../core/text/json.ts'

/** How long finished work is kept. */
export interface Retention {
  /**
   * Days without any event.
   * @asType integer
   * @minimum 1
   * @maximum 36500
   */
  readonly days: number
}

const MOST_DAYS = 36_500

/** Why a value is no such setting; `null` if it is one. */
export function retentionFault(value: Json): string | null {
  const days = isJsonObject(value) && Object.keys(value).length === 1 ? value['days'] : undefined
  const isFit = typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MOST_DAYS
  return isFit ? null : `must be { "days": N }, with a whole number from 1 to ${MOST_DAYS}`
}
