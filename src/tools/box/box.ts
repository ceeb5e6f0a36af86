/** A box for the commands of a project: the kernel decides what they reach (docs/box.md). */
import { existsSync, lstatSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EffectRules } from '../../core/effect/effect-rules.ts'
import type { BoxSettings } from './machine/box-settings.ts'
import { type CallPlace, freshPlace, runSpace } from './machine/call-place.ts'
import { type BoxPrograms, boxMachine } from './machine/machine.ts'
import { boxEnvironment, IN_BOX, splitEnvironment } from './mounts/environment.ts'
import { hiddenAt, hiddenBelow, hiddenStore } from './mounts/hidden.ts'
import { hardLinksTo } from './mounts/hidden-links.ts'
import { addOverlay, bwrapCommand, type Launch, limited, type Overlay, PROJECT, withOverlays } from './mounts/launch.ts'
import { mountTable, realHome } from './mounts/mounts.ts'
import { forwarder } from './network/forwarder.ts'
import { proxyVariables } from './network/proxy-variables.ts'
import { seccompProgram } from './seccomp/seccomp-program.ts'

export interface BoxOptions {
  /** Where what commands write is kept until it is decided on: beside the store, closed to others. */
  readonly directory: string
  /** The file of the store; `null` if it has none. */
  readonly storeFile: string | null
  readonly settings: BoxSettings
  /** Nothing runs in a box: people are asked instead. */
  readonly isOff?: boolean
  /** Where there is no box, commands fail. */
  readonly isRequired?: boolean
}

export interface BoxedCommand {
  readonly command: string
  readonly workdir: string
  readonly runId: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly never: EffectRules['never']
  /** The directory of the proxy's socket; the network of the machine without one. */
  readonly proxy?: { readonly directory: string; readonly permitsHosts: boolean }
}

/** A command with an overlay over its directory: what it writes is kept apart. */
export interface Prepared {
  readonly launch: Launch
  /** The time of the file system before it began, in nanoseconds. */
  readonly since: bigint
}

/** @throws if the machine has no box */
export async function prepareBox(options: BoxOptions, place: CallPlace, command: BoxedCommand): Promise<Prepared> {
  const programs = await programsHere()
  const workdir = realpathSync(command.workdir)
  await freshPlace(place, workdir)
  const caches = options.settings.caches.map(path => resolve(realHome(), path)).filter(existsSync)
  const added = caches.map((path, index) => ({ path, overlay: addOverlay(place.root, `cache${index}`, path) }))
  const overlays = [PROJECT, ...added.map(({ overlay }) => overlay)]
  const seenCaches = added.map(({ path, overlay }) => ({ path, source: join(place.root, overlay.view) }))
  const launch = await launchOf(options, programs, {
    command,
    workdir,
    source: place.view,
    caches: seenCaches,
    mounted: { root: place.root, overlays },
    hasNetwork: false,
  })
  return { launch, since: lstatSync(place.lower, { bigint: true }).ctimeNs }
}

/** A command on the directory itself, without records, keys and sockets in sight. @throws if the machine has no box */
export async function prepareCover(options: BoxOptions, command: BoxedCommand): Promise<Launch> {
  const programs = await programsHere()
  const workdir = realpathSync(command.workdir)
  const caches = options.settings.caches.map(path => resolve(realHome(), path)).filter(existsSync)
  return launchOf(options, programs, {
    command,
    workdir,
    source: workdir,
    caches: caches.map(path => ({ path, source: path })),
    mounted: { root: '/', overlays: [] },
    hasNetwork: command.proxy === undefined,
  })
}

async function programsHere(): Promise<BoxPrograms> {
  const { programs, why } = await boxMachine()
  if (programs === null) throw new Error(`this machine has no box: ${why}`)
  return programs
}

interface Plan {
  readonly command: BoxedCommand
  readonly workdir: string
  readonly source: string
  readonly caches: readonly { readonly path: string; readonly source: string }[]
  readonly mounted: { readonly root: string; readonly overlays: readonly Overlay[] }
  readonly hasNetwork: boolean
}

async function launchOf(
  { settings, storeFile, directory }: BoxOptions,
  programs: BoxPrograms,
  plan: Plan,
): Promise<Launch> {
  const { command, workdir, source, caches, hasNetwork } = plan
  const space = runSpace(command.runId)
  if (!existsSync(space.closedFile)) writeFileSync(space.closedFile, '', { mode: 0o000 })
  const below = await hiddenBelow({ workdir, never: command.never })
  const records = [...hiddenStore(storeFile), ...below, ...hiddenAt(directory), ...hiddenAt(space.all)]
  const hidden = [...records, ...hardLinksTo(records, workdir)]
  const network = command.proxy ? proxyVariables(PROXY_PORT, { permitted: command.proxy.permitsHosts }) : {}
  const { outside, inside: own } = splitEnvironment({ ...boxEnvironment(command.environment), ...IN_BOX, ...network })
  const path = outside['PATH'] ?? ''
  const options = mountTable({ workdir, source, path, space, settings, caches, hidden, hasNetwork })
  const variables = Object.entries(own).flatMap(([name, value]) => ['--setenv', name, value])
  const begun = limited(settings.limits, command.command)
  const inside = command.proxy ? forwarder(begun, { port: PROXY_PORT, socketPath: `${PROXY_PLACE}/network` }) : begun
  const filter = seccompProgram(process.arch)
  const box = bwrapCommand(programs, { hasNetwork, hasFilter: filter !== null }, inside)
  return {
    file: programs.unshare,
    args: withOverlays(programs, { ...plan.mounted, isHeld: true }, box),
    environment: outside,
    options: `${[...options, ...variables, ...socketMount(command), ...CLOSED_ROOT].join('\0')}\0`,
    filter,
  }
}

/** On the loopback of a box, and where a box has the socket behind it. */
const PROXY_PORT = 46_875
const PROXY_PLACE = '/run/holdpoint'

/** No command fills the memory of the machine by the roots of its mounts. */
const CLOSED_ROOT = ['--remount-ro', '/dev', '--remount-ro', '/']

function socketMount({ proxy }: BoxedCommand): readonly string[] {
  return proxy ? ['--bind', proxy.directory, PROXY_PLACE] : []
}
