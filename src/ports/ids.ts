export type IdKind = 'thread' | 'run' | 'checkpoint' | 'hold' | 'decision' | 'grant' | 'task' | 'bundle'

/** Names and fingerprints. */
export interface Ids {
  /** A new, unguessable id; its prefix tells what it names. */
  next(kind: IdKind): string
  /** `sha256:` and 64 hexadecimal digits. */
  digest(text: string): string
}
