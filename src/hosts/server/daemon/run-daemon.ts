/**
 * `holdpoint daemon`: a worker, the start queue, and the REST routes on a socket that only this user reaches. Agents
 * run under supervisors of their own, so they outlive a killed daemon, and the next daemon knows them from their rows.
 */

import { resolve } from 'node:path'
import type { RefusedError } from '../../../core/errors.ts'
import type { Daemon } from '../../../core/fleet/daemon.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import type { CommandContext } from '../../command/command.ts'
import { agentSockets } from '../../compose/agents/agent-sockets.ts'
import type { App } from '../../compose/compose.ts'
import { STARTED_BY } from '../../compose/start-daemon.ts'
import { isDaemonGone, listens } from '../../daemon/find-daemon.ts'
import { processLiveness } from '../../process/process-liveness.ts'
import { version } from '../../process/version.ts'
import { readConfig } from '../../project/project.ts'
import { storeUrl } from '../../project/store-url.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'
import { type RunningServer, serve } from '../run-server.ts'
import { readServerSettings } from '../server-settings.ts'
import { sweepSockets } from './collect-garbage.ts'
import { daemonDocument } from './daemon-document.ts'
import { keepFleet } from './keep-fleet.ts'

export async function runDaemon(context: CommandContext): Promise<number> {
  const { given, env, directory } = context
  const starter = env[STARTED_BY] ?? null
  const config = await readConfig(directory, env)
  const location = absolute(storeUrl(given.value('store'), env, config), directory)
  const sockets = agentSockets(location, env)
  if (sockets === null) throw serverRefusals.noSockets(location.display)
  const settings = { ...readServerSettings({ ...given, words: [] }, env), sockets }
  const names = processLiveness()
  const self = names.nameOf(process.pid) ?? names.self
  let app: App | null = null
  const deps = { context, self, starter, endsWhenIdle: starter !== null && config.notify === null }
  return serve(context, settings, {
    as: 'holdpoint daemon',
    tasks: false,
    onListening: async server => {
      app = server.app
      await begin(server, deps)
      await sweepSockets(server.app.store, sockets)
    },
    beside: signal => keepFleet({ app: app as App, self, signal, endsWhenIdle: deps.endsWhenIdle }),
    onEnd: async () => {
      await app?.store.daemons.leave(self)
    },
  })
}

function absolute(url: string, directory: string): StoreLocation {
  const location = new StoreLocation(url)
  return location.file === null ? location : new StoreLocation(`sqlite:${resolve(directory, location.file)}`)
}

interface DaemonDeps {
  readonly context: Pick<CommandContext, 'io' | 'json'>
  readonly self: string
  /** The verb that started it, by its process. */
  readonly starter: string | null
}

/** From here on it is the daemon. @throws RefusedError `daemon_running` */
async function begin({ app, url }: RunningServer, { context, self, starter }: DaemonDeps): Promise<void> {
  const { daemons } = app.store
  const names = processLiveness()
  const seen = await daemons.find()
  if (seen && seen.process !== starter && !(await isDaemonGone(seen, names))) throw running(seen)
  const endpoint = url.slice('unix:'.length)
  const daemon = await daemons.take({ process: self, endpoint, version: version() }, seen?.process ?? null)
  if (daemon === null) throw running(await daemons.find())
  const { io, json } = context
  if (starter !== null) return
  if (json) io.out(jsonLine(daemonDocument(daemon)))
  else io.err(`holdpoint daemon: listening on ${url}\n`)
}

function running(daemon: Daemon | null): RefusedError {
  const where = daemon && listens(daemon) ? `, and listens on unix:${daemon.endpoint}` : ''
  return serverRefusals.daemonRunning(where)
}
