import { isDeepStrictEqual } from 'node:util'

/** A promise that was not kept. `rule` names it, so that a shorter life can be seen to break the same one. */
export class Broken extends Error {
  readonly rule: string

  constructor(rule: string, detail: string) {
    super(`${rule}: ${detail}`)
    this.rule = rule
  }
}

export function must(holds: boolean, rule: string, detail: () => string): asserts holds {
  if (!holds) throw new Broken(rule, detail())
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}

/** Where two values are not the same, and what they are there; `null` if they are. */
export function difference(one: unknown, other: unknown, place = ''): string | null {
  if (isDeepStrictEqual(one, other)) return null
  const [ones, others] = [entriesOf(one), entriesOf(other)]
  if (ones === null || others === null) return `${place}: ${shown(one)} and ${shown(other)}`
  for (const key of new Set([...ones.keys(), ...others.keys()])) {
    const found = difference(ones.get(key), others.get(key), `${place}/${String(key)}`)
    if (found !== null) return found
  }
  return `${place}: ${shown(one)} and ${shown(other)}`
}

function entriesOf(value: unknown): Map<unknown, unknown> | null {
  if (value instanceof Map) return value
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null
}
