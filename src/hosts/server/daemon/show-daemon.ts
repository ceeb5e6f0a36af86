import { jsonLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { listens, livingDaemon } from '../../daemon/find-daemon.ts'
import { type DaemonStatus, daemonDocument } from './daemon-document.ts'
import { openStoreOf } from './open-store-of.ts'

const NONE = 1

/** Exit code 1: there is none. */
export async function showDaemon(context: CommandContext): Promise<number> {
  const { io, json } = context
  await using app = await openStoreOf(context)
  const found = app && (await livingDaemon(app.store))
  const daemon = found && listens(found) ? daemonDocument(found) : null
  if (json) io.out(jsonLine({ daemon } satisfies DaemonStatus))
  else if (daemon === null) io.out('No daemon runs. `holdpoint daemon start` starts one.\n')
  else {
    const { server, pid, version, started_at, stop } = daemon
    io.out(`The daemon runs as process ${pid} since ${started_at}, Holdpoint ${version}.\n`)
    if (stop !== null) io.out(`It was asked to end (${stop}).\n`)
    io.out(`It takes requests at ${server}.\n`)
  }
  return daemon === null ? NONE : 0
}
