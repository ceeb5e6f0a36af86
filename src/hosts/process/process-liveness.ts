import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { HostName } from '../../core/fleet/fleet-host.ts'
import type { FoundProcess, ProcessNames } from '../../ports/process/process-names.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { type ProcessStat, processStat } from './lineage/process-stat.ts'

/**
 * Processes are `place:pid:start`, and owners of leases `place:pid:start:n`. Another process may have got the same id
 * since, so the start time counts too. Owners in other places never count as gone, nor do those in other containers of
 * this boot, under any name: their leases expire. Processes from before the last start of this machine are gone.
 */
export function processLiveness(): ProcessNames {
  return {
    self: `${nameOf(process.pid)}:${faces++}`,
    boot: bootId() === null ? undefined : HERE,
    isGone,
    isAlive: name => find(name) !== null,
    isUnseen,
    beats: IS_NAMED,
    nameOf,
    find,
  }
}

const UNKNOWN = 'unknown'

function isGone(name: string): boolean {
  const [place = '', pid, started] = name.split(':')
  if (isOfEarlierBoot(place)) return true
  if (place !== HERE || pid === undefined || !/^\d+$/.test(pid)) return false
  const there = processAt(Number(pid))
  if (there === UNKNOWN) return false
  return there === null || there.isOver || (started !== UNKNOWN && there.started !== started)
}

function nameOf(pid: number): string | null {
  const there = processAt(pid)
  return there && `${HERE}:${pid}:${there === UNKNOWN ? UNKNOWN : there.started}`
}

function find(name: string): FoundProcess | null {
  const [place, pid, started] = name.split(':')
  if (place !== HERE || pid === undefined || !/^\d+$/.test(pid)) return null
  const there = processAt(Number(pid))
  if (there === null || there === UNKNOWN || there.isOver || there.started !== started) return null
  return { pid: Number(pid), started }
}

const IS_NAMED = Boolean(process.env['HOLDPOINT_HOST'])

/** Empty in many images of containers. */
const MACHINE = readOr('/etc/machine-id', '').trim()

/** Process ids mean something only within one boot of one machine, and there within one container. */
const HERE = here()

/** `host/machine-boot-container`. Two hosts are two places, even on one machine. */
function here(): string {
  const host = process.env['HOLDPOINT_HOST']?.replace(/[/:]/g, '-') || hostname()
  const boot = bootId()
  if (boot === null) return host
  return `${host}/${[MACHINE, boot, pidNamespace()].map(shortened).join('-')}`
}

function bootId(): string | null {
  return readOr('/proc/sys/kernel/random/boot_id', null)
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The machine of this process, as a store that several machines share knows it: by its own name and a digest of its
 * id, or by the name in `HOLDPOINT_HOST`. Without an id of the machine, that of its boot distinguishes two with the
 * same name, and each start makes another host. @throws RefusedError `invalid_arguments`
 */
export function thisHost(): HostName {
  const given = givenHost(process.env)
  if (given !== null) return { id: given, name: given }
  return { id: `${hostname()}-${shortened(MACHINE || (bootId() ?? ''))}`, name: hostname() }
}

/** @throws RefusedError `invalid_arguments` */
function givenHost({ HOLDPOINT_HOST: text }: Environment): string | null {
  if (!text) return null
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(text)) return text
  throw projectRefusals.invalidHost(text)
}

/** FNV-1a: distinguishes places, and needs no cryptography, whose module is slow to load. */
function shortened(text: string): string {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function readOr<Other>(path: string, other: Other): string | Other {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return other
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** With `HOLDPOINT_HOST` one container has the name at a time, on any machine. */
function isOfEarlierBoot(place: string): boolean {
  const [, host, machine, boot] = PLACE.exec(place) ?? []
  const [, thisHost, thisMachine, thisBoot] = PLACE.exec(HERE) ?? []
  if (host === undefined || host !== thisHost || boot === thisBoot) return false
  return IS_NAMED || (MACHINE !== '' && machine === thisMachine)
}

/** Whether a process, or an owner of leases, was named in this boot of this machine, in any container. */
export function isOfThisBoot(name: string): boolean {
  const boot = bootId()
  return boot !== null && PLACE.exec(name)?.[3] === shortened(boot)
}

/** True if another container of this boot has the name: a sibling, an outer one, or an earlier start of this one. */
function isUnseen(name: string): boolean {
  const [place = ''] = name.split(':')
  const isSameHost = place.split('/')[0] === HERE.split('/')[0]
  return IS_NAMED && isSameHost && place !== HERE && !isOfEarlierBoot(place)
}

/** Host, machine and boot; names of hosts may hold anything but a slash. */
const PLACE = /^([^/]*)\/([0-9a-f]{8})-([0-9a-f]{8})-/

/** Two open faces in one process must not take each other's lease for their own. */
let faces = 0

function processAt(pid: number): ProcessStat | typeof UNKNOWN | null {
  return processStat(pid) ?? (exists(pid) ? UNKNOWN : null)
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}
