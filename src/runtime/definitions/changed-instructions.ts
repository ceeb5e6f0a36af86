import type { Run } from '../../core/journal/thread.ts'
import { instructionsChanged } from '../../core/run/warnings/instructions-changed.ts'
import type { RunWarning } from '../../core/run/warnings/run-warning.ts'
import type { Runtime } from '../../ports/runtime.ts'

type Reader = NonNullable<Runtime['readInstructions']>

/** Of how many runs this process remembers what it warned of. */
const MOST = 1_000

/** The newest change that was warned of, by run. A process that starts anew warns once more. */
const WARNED = new WeakMap<Reader, Map<string, string>>()

/** Warns the sender of a message to a run that goes on: once of each change of the files that it read. */
export async function newlyChangedInstructions(
  { readInstructions }: Pick<Runtime, 'readInstructions'>,
  { id, profile: { project_instructions: before, workdir } }: Pick<Run, 'id' | 'profile'>,
): Promise<readonly RunWarning[]> {
  const now = before && (await readInstructions?.(before.names, workdir))
  if (!before || !now || !readInstructions) return []
  const warned = WARNED.get(readInstructions) ?? new Map<string, string>()
  WARNED.set(readInstructions, warned)
  const state = JSON.stringify(now.map(({ path, digest }) => [path, digest]))
  const isKnown = warned.get(id) === state
  warned.delete(id)
  warned.set(id, state)
  for (const oldest of warned.keys()) if (warned.size > MOST) warned.delete(oldest)
  return isKnown ? [] : instructionsChanged(before.files, now)
}
