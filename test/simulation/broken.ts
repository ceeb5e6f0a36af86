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
