import { RefusedError } from '../../core/errors.ts'
import type { Runs } from '../../runtime/face/runs.ts'
import { KeptManifest } from '../outcome/kept-manifest.ts'
import { pausesToldIn } from '../outcome/manifest.ts'
import type { Io } from '../process/io.ts'

/**
 * A process that was killed right after the end of a run left the manifest of its pause, and no process goes on with
 * that run.
 */
export async function tidyEnded(holdpoint: Pick<Runs, 'run'>, directory: string, io: Io): Promise<void> {
  for (const id of pausesToldIn(directory)) {
    if (await isDone(holdpoint, id)) new KeptManifest(io, directory).takeBack(id)
  }
}

async function isDone(holdpoint: Pick<Runs, 'run'>, id: string): Promise<boolean> {
  try {
    return (await holdpoint.run(id)).status === 'done'
  } catch (thrown) {
    // Of another store, or none of ours.
    if (thrown instanceof RefusedError) return false
    throw thrown
  }
}
