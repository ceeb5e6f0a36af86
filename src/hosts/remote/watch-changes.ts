import type { RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import { RefusedError } from '../../core/errors.ts'
import { systemClock } from '../process/system-clock.ts'

const AGAIN_MS = 1_000

/**
 * Calls back after each change at the server, until it is disposed of. A refusal of the server is a change as well: the
 * look that follows meets it.
 */
export function watchChanges(remote: Pick<RemoteHoldpoint, 'changes' | 'audit'>, onChange: () => void): Disposable {
  const over = new AbortController()
  void follow(remote, onChange, over.signal)
  return { [Symbol.dispose]: () => over.abort() }
}

async function follow(
  remote: Pick<RemoteHoldpoint, 'changes' | 'audit'>,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { seq: since } = await remote.audit.head()
      // Something may have happened since the caller looked.
      onChange()
      for await (const _ of remote.changes({ since, signal })) onChange()
    } catch (thrown) {
      if (thrown instanceof RefusedError) onChange()
    }
    await systemClock.sleep(AGAIN_MS, signal).catch(() => {})
  }
}
