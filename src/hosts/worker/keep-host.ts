import { HOST_BEAT_MS } from '../../core/fleet/fleet-host.ts'
import type { ObservedStore } from '../compose/compose.ts'

/**
 * Announces this host to other hosts regularly until it is disposed of. A host that is silent for its lease counts as
 * gone. `address` is the URL of its server, if others reach it.
 */
export async function keepHost(
  { hosts }: Pick<ObservedStore, 'hosts'>,
  address: string | null = null,
): Promise<AsyncDisposable> {
  if (hosts.self === null) return { [Symbol.asyncDispose]: async () => {} }
  const published = address === null ? undefined : address
  await hosts.isSeen(published)
  // The work of the process reports a store that cannot be written.
  let beats = Promise.resolve()
  const beat = () => {
    beats = beats.then(() => hosts.isSeen(published)).catch(() => {})
  }
  const timer = setInterval(beat, HOST_BEAT_MS).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      // A beat that is still running would write the address once more.
      await beats
      if (address !== null) await hosts.isSeen(null).catch(() => {})
    },
  }
}
