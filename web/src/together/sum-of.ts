/** What several holds come to together, if their amounts can be added. */
import { isJsonObject, type Json } from '../../../src/core/text/json.ts'
import type { HoldView } from '../api/documents.ts'

const AMOUNT = /amount|total|price|cost|sum$/i
const CURRENCY = /currency/i

/**
 * `amount: 318.50 EUR`. `null` if the holds are of several tools or currencies, if one of them has no amount or several,
 * or if there is only one.
 */
export function sumOf(holds: readonly Pick<HoldView, 'tool' | 'arguments'>[]): string | null {
  const found = holds.map(({ tool, arguments: args }) => ({ tool, ...amountIn(args) }))
  const [first] = found
  if (first === undefined || found.length < 2) return null
  const { tool, name, currency } = first
  if (found.some(each => each.tool !== tool || each.name !== name || each.currency !== currency)) return null
  const amounts = found.map(({ amount }) => amount)
  if (name === null || !amounts.every(amount => amount !== null)) return null
  return [`${name}: ${added(amounts)}`, currency].filter(Boolean).join(' ')
}

interface Found {
  readonly name: string | null
  /** In decimal digits. */
  readonly amount: string | null
  readonly currency: string | null
}

function amountIn(args: HoldView['arguments']): Found {
  const entries = isJsonObject(args) ? Object.entries(args) : []
  const amounts = entries.filter(([name, value]) => AMOUNT.test(name) && digitsOf(value) !== null)
  const [[name, value] = [null, null]] = amounts
  const currency = entries.find(([key, text]) => CURRENCY.test(key) && typeof text === 'string')?.[1]
  if (amounts.length !== 1) return { name: null, amount: null, currency: null }
  return { name, amount: digitsOf(value), currency: typeof currency === 'string' ? currency : null }
}

function digitsOf(value: Json): string | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^-?\d{1,15}(?:\.\d{1,6})?$/.test(text) ? text : null
}

/** Without the faults of binary fractions. */
function added(amounts: readonly string[]): string {
  const places = Math.max(...amounts.map(amount => amount.split('.')[1]?.length ?? 0))
  const shown = places === 1 ? 2 : places
  const units = amounts.reduce((sum, amount) => sum + unitsOf(amount, shown), 0n)
  const digits = String(units < 0n ? -units : units).padStart(shown + 1, '0')
  const whole = digits.slice(0, digits.length - shown)
  return `${units < 0n ? '-' : ''}${whole}${shown === 0 ? '' : `.${digits.slice(-shown)}`}`
}

function unitsOf(amount: string, places: number): bigint {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`)
}
