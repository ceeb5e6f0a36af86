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
  | 'subscription'
  | 'copy'

/** Names and fingerprints. */
export interface Ids {
  /** A new, unguessable id; its prefix names the kind. */
  next(kind: IdKind): string
  /** 32 random bytes as text: a secret that is shown once and never stored. */
  secret(): string
  /** `sha256:` and 64 hexadecimal digits. */
  digest(text: string): string
}
