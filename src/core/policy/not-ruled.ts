/** A tool was asked about a call and could not answer. */
export interface Unruled {
  readonly because: string
}

/** Why a person is asked about a call whose tool could not answer. */
export function notRuled(because: string): string {
  return `it could not be ruled (${because})`
}
