/** What a command changed in the files of its directory, before any of it is kept. */

/** A file, a link or a directory as it is at one moment. */
export interface EntryState {
  readonly kind: 'file' | 'link' | 'directory'
  /** Permission bits, with those for set-user-id, set-group-id and sticky. */
  readonly mode: number
  /** `sha256:` of the content, or of the target of a link; empty for a directory. */
  readonly digest: string
  /** Bytes. */
  readonly size: number
}

export interface FileChange {
  /** Relative to the directory of the command, with `/`. */
  readonly path: string
  /** `null` if there was nothing. */
  readonly before: EntryState | null
  /** `null` if it is gone. */
  readonly after: EntryState | null
  /** Where a link leads: a path in the directory, or an absolute one outside. */
  readonly leads_to?: string
}

export interface Effect {
  /** In the order of their paths. */
  readonly changes: readonly FileChange[]
  /** Devices, sockets and pipes: no effect keeps them. */
  readonly left_out: readonly string[]
}

export function isSameState(one: EntryState | null, other: EntryState | null): boolean {
  if (one === null || other === null) return one === other
  return one.kind === other.kind && one.mode === other.mode && one.digest === other.digest
}

export type ChangeWord = 'created' | 'changed' | 'deleted' | 'made executable' | 'mode changed'

export function changeWord({ before, after }: FileChange): ChangeWord {
  if (before === null) return 'created'
  if (after === null) return 'deleted'
  if (before.kind !== after.kind || before.digest !== after.digest) return 'changed'
  return (after.mode & 0o111) > (before.mode & 0o111) ? 'made executable' : 'mode changed'
}

/** A file that left one path and came to another with the same content. */
export interface Rename {
  readonly from: string
  readonly to: string
}

/** Each deleted file is taken for one rename at most. */
export function renamesIn({ changes }: Effect): readonly Rename[] {
  const went = new Map<string, string[]>()
  for (const { path, before, after } of changes)
    if (after === null && before?.kind === 'file' && before.size > 0) pushTo(went, before.digest, path)
  const renames: Rename[] = []
  for (const { path, before, after } of changes) {
    if (before !== null || after?.kind !== 'file') continue
    const from = went.get(after.digest)?.shift()
    if (from !== undefined) renames.push({ from, to: path })
  }
  return renames
}

function pushTo(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
