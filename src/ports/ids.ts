export type IdKind =
  | 'thread'
  | 'run'
  | 'checkpoint'
  | 'hold'
  | 'decision'
  | 'grant'
  | 'task'
  | 'bundle'
  | 'token'
  | 'notice'
  | 'session'
  | 'copy'

/** Names and fingerprints. */
export interface Ids {
  /** A new, unguessable id; its prefix tells what it names. */
  next(kind: IdKind): string
  /** 32 random bytes as text: a proof, which is told once and never stored. */
  secret(): string
  /** `sha256:` and 64 hexadecimal digits. */
  digest(text: string): string
}
