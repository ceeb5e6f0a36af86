import { AgentSockets } from '../../../live/agent-sockets.ts'
import type { StoreLocation } from '../../../ports/store/store-location.ts'
import { thisHost } from '../../process/process-liveness.ts'

export type { ListeningSocket } from '../../../live/agent-sockets.ts'

/** `null` for a store that no other process can open, and on systems without users. */
export function agentSockets(
  { file, scheme, display }: StoreLocation,
  env: Readonly<Record<string, string | undefined>>,
): AgentSockets | null {
  const uid = process.getuid?.()
  const isShared = scheme === 'postgres' || scheme === 'postgresql'
  if (uid === undefined || (file === null && !isShared)) return null
  const store = file === null ? { name: `${display} ${thisHost().id}` } : { file }
  return new AgentSockets({ ...store, runtimeDirectory: env['XDG_RUNTIME_DIR'] || undefined, uid })
}
