import type { Commit } from '../../ports/store/journal.ts'

/** What may be written of the row while there may be more to do. */
export function unrested({ run }: Pick<Commit, 'run' | 'rest'>): Pick<Commit, 'run' | 'rest'> {
  if (!run) return {}
  const { status: _, ...row } = run
  return { run: row }
}
