import { AgentSockets } from '../../live/agent-sockets.ts'
import type { StoreLocation } from '../../ports/store/store-location.ts'

export type { ListeningSocket } from '../../live/agent-sockets.ts'

/** `null` for a store that no other process can open, and on systems without users. */
export function agentSockets(
  { file }: StoreLocation,
  env: Readonly<Record<string, string | undefined>>,
): AgentSockets | null {
  const uid = process.getuid?.()
  if (uid === undefined || file === null) return null
  return new AgentSockets({ file, runtimeDirectory: env['XDG_RUNTIME_DIR'] || undefined, uid })
}
