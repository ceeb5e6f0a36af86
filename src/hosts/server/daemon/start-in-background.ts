import { jsonLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { openApp } from '../../compose/compose.ts'
import { findOrStartDaemon } from '../../daemon/find-daemon.ts'
import { refuseAgent } from '../../process/lineage/refuse-agent.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { isDefaultStore, storeUrl } from '../../project/store-url.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'
import { type DaemonStatus, daemonDocument } from './daemon-document.ts'

/** Resolves once the daemon of the store listens, even if another process started it. */
export async function startInBackground({ given, env, directory, io, json }: CommandContext): Promise<number> {
  refuseAgent(env, () => serverRefusals.agentCannotServe('holdpoint daemon start'))
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  await using app = await openApp({ store, directory, env })
  const found = await findOrStartDaemon({ store: app.store, directory, env })
  const daemon = daemonDocument(found.daemon)
  if (json) io.out(jsonLine({ daemon } satisfies DaemonStatus))
  else io.out(`The daemon takes requests at ${daemon.server}.\n`)
  return 0
}
