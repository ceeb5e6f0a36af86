import { HoldpointError } from '../../core/errors.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { actor } from '../process/actor.ts'
import type { Io } from '../process/io.ts'

interface Showing {
  /** Default: true. False if some of it was cut, or scrolled away before the person could read it. */
  readonly inFull?: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}

/** P10: records who is about to see these holds, and whether in full. If that fails, they are shown all the same, with a warning. */
export async function recordShown(
  holdpoint: Pick<Holdpoint, 'audit'>,
  holds: readonly Pick<Hold, 'id'>[],
  { env, io, inFull = true }: Showing,
): Promise<void> {
  if (holds.length === 0) return
  const ids = holds.map(({ id }) => id)
  try {
    await holdpoint.audit.shown(ids, { to: actor(env), surface: 'cli', inFull })
  } catch (thrown) {
    if (!(thrown instanceof HoldpointError)) throw thrown
    io.err(`holdpoint: warning: it is not on record that ${ids.join(', ')} was shown: ${thrown.message}\n`)
  }
}
