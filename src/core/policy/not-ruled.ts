/** A tool was asked about a call, and could not say. */
export interface Unruled {
  readonly because: string
}

/** Why a person is asked about a call of which its tool could not say what it needs. */
export function notRuled(because: string): string {
  return `it could not be ruled (${because})`
}
