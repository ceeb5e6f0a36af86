import { SocketChannel } from '../../live/socket-channel.ts'
import type { LiveCarrier } from '../../ports/live-channel.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Store } from '../../ports/store/store.ts'

/**
 * That of the store, if it has one between hosts; else sockets of this host. Left out for a store that no other process can
 * open, and on systems without users.
 */
export function liveChannel(
  store: Store & Partial<LiveCarrier>,
  env: Readonly<Record<string, string | undefined>>,
): Pick<Runtime, 'live'> {
  const ofStore = store.openLiveChannel?.()
  if (ofStore) return { live: ofStore }
  const uid = process.getuid?.()
  const { file } = store.location
  if (uid === undefined || file === null) return {}
  const live = new SocketChannel({
    file,
    secret: () => store.secret(),
    runtimeDirectory: env['XDG_RUNTIME_DIR'] || undefined,
    uid,
    warn: problem => process.emitWarning(problem),
  })
  return { live }
}
