/** The help of one command beyond its usage and its options. It is stored unwrapped, and wrapped when it is shown. */
export interface CommandText {
  readonly about: readonly Block[]
  readonly examples: readonly Example[]
}

/** A paragraph; lines that stay as they are; or terms with their meanings. */
export type Block =
  | string
  | { readonly lines: readonly string[] }
  | { readonly terms: readonly (readonly [term: string, meaning: string])[] }

export type Example = readonly [command: string, purpose: string]
