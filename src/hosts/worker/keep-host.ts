import { HOST_BEAT_MS } from '../../core/fleet/fleet-host.ts'
import type { ObservedStore } from '../compose/compose.ts'

/**
 * Tells other hosts that this one is there, now and again until it is disposed of. One that says nothing for its lease
 * counts as gone. `address` is the URL of its server, if others reach it.
 */
export async function keepHost(
  { hosts }: Pick<ObservedStore, 'hosts'>,
  address: string | null = null,
): Promise<AsyncDisposable> {
  if (hosts.self === null) return { [Symbol.asyncDispose]: async () => {} }
  const published = address === null ? undefined : address
  await hosts.isSeen(published)
  // A store that cannot be written now is told of by what the process works on.
  let beats = Promise.resolve()
  const beat = () => {
    beats = beats.then(() => hosts.isSeen(published)).catch(() => {})
  }
  const timer = setInterval(beat, HOST_BEAT_MS).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      // One that is under way would write the address once more.
      await beats
      if (address !== null) await hosts.isSeen(null).catch(() => {})
    },
  }
}
