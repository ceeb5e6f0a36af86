/**
 * The one daemon of a store. A compare-and-set on its row is the lock, so no file has to be removed after a crash.
 * D1  A verb that finds none takes the row in its own name first, and starts the daemon then. Of twenty verbs one starts it.
 * D2  A row whose process certainly is gone is free. A number that names another process by now is never signalled.
 */

import { eachChange } from '../../async/each-change.ts'
import { HoldpointError, messageOf, type RefusedError } from '../../core/errors.ts'
import type { Daemon } from '../../core/fleet/daemon.ts'
import type { ProcessNames } from '../../ports/process/process-names.ts'
import { agentSockets } from '../compose/agents/agent-sockets.ts'
import type { ObservedStore } from '../compose/compose.ts'
import { startDaemon } from '../compose/start-daemon.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { version } from '../process/version.ts'
import { projectRoot } from '../project/project-root.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'

/** A verb that takes the row in its own name listens nowhere. */
const NOWHERE = ''
const PATIENCE_MS = 20_000
const LOOK_MS = 200

export interface DaemonDeps {
  readonly store: Pick<ObservedStore, 'daemons' | 'tasks' | 'location'>
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** True for a daemon that takes requests. */
export function listens({ endpoint }: Daemon): boolean {
  return endpoint !== NOWHERE
}

/** The daemon, if its process is there; it may still be about to listen. */
export async function livingDaemon(
  { daemons }: Pick<ObservedStore, 'daemons'>,
  names: ProcessNames = processLiveness(),
): Promise<Daemon | null> {
  const daemon = await daemons.find()
  return daemon === null || (await isDaemonGone(daemon, names)) ? null : daemon
}

/** A daemon in another container counts as running while it takes requests, or may be about to. */
export async function isDaemonGone(daemon: Daemon, names: ProcessNames): Promise<boolean> {
  if (names.isGone(daemon.process)) return true
  if (!names.isUnseen(daemon.process)) return false
  if (!listens(daemon)) return systemClock.now() - Date.parse(daemon.started_at) > PATIENCE_MS
  return !(await answers(daemon.endpoint))
}

async function answers(endpoint: string): Promise<boolean> {
  const { connect } = await import('node:net')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(endpoint, () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

export interface FoundDaemon {
  readonly daemon: Daemon
  /** False if it was there, or another verb started it meanwhile. */
  readonly isStartedHere: boolean
}

/**
 * Resolves to the daemon once it listens; starts one if there is none. @throws RefusedError `daemon_not_started`
 */
export async function findOrStartDaemon(deps: DaemonDeps): Promise<FoundDaemon> {
  const finding = new Finding(deps)
  const watches = [(onChange: () => void) => deps.store.tasks.watch(onChange)]
  const deadline = systemClock.steady() + PATIENCE_MS
  for await (const _ of eachChange({ clock: systemClock, watches, deadline, safetyMs: LOOK_MS })) {
    const daemon = await finding.look()
    if (daemon) return { daemon, isStartedHere: finding.isStartedHere }
  }
  throw notStarted('it did not listen in time')
}

class Finding {
  readonly #deps: DaemonDeps
  readonly #names = processLiveness()
  readonly #self = this.#names.nameOf(process.pid) ?? this.#names.self
  /** The name of the process that was started here. */
  #started: string | null = null

  constructor(deps: DaemonDeps) {
    this.#deps = deps
  }

  get isStartedHere(): boolean {
    return this.#started !== null
  }

  /** `null`: not yet. */
  async look(): Promise<Daemon | null> {
    const { daemons } = this.#deps.store
    const seen = await daemons.find()
    if (seen !== null && seen.process !== this.#self && !(await isDaemonGone(seen, this.#names)))
      return listens(seen) && seen.stop === null ? seen : null
    if (this.#started !== null) return this.#refuseGone(seen)
    const mine = { process: this.#self, endpoint: NOWHERE, version: version() }
    if ((await daemons.take(mine, seen?.process ?? null)) === null) return null
    await this.#start()
    return null
  }

  async #start(): Promise<void> {
    const { store, directory, env } = this.#deps
    try {
      // A process in the background could not report which directory is wrong.
      await agentSockets(store.location, env)?.makeDirectory()
      const deps = { location: store.location, directory: projectRoot(directory), env, starter: this.#self }
      this.#started = this.#names.nameOf(await startDaemon(deps)) ?? GONE
    } catch (cause) {
      await store.daemons.leave(this.#self)
      throw notStarted(messageOf(cause).replace(/\.$/, ''), cause instanceof HoldpointError ? cause.hint : null)
    }
  }

  /** The started process has not taken the row from this process yet; if it is gone, it never will. */
  async #refuseGone(seen: Daemon | null): Promise<null> {
    const isThere = this.#started !== null && this.#started !== GONE && !this.#names.isGone(this.#started)
    if (isThere) return null
    if (seen?.process === this.#self) await this.#deps.store.daemons.leave(this.#self)
    throw notStarted('its process ended at once')
  }
}

const GONE = ''

function notStarted(why: string, hint: string | null = null): RefusedError {
  return serverRefusals.notStarted(why, hint ?? '`holdpoint daemon` in this directory tells why.')
}
