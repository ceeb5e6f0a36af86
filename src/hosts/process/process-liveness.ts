import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { FoundProcess, ProcessNames } from '../../ports/process/process-names.ts'
import { type ProcessStat, processStat } from './process-stat.ts'

/**
 * Processes are `place:pid:start`, and owners of leases `place:pid:start:n`. Another process may have got the same id
 * since, so the start time counts too. Owners in other places never count as gone: their leases expire. Processes from
 * before the last start of this machine are gone.
 */
export function processLiveness(): ProcessNames {
  return {
    self: `${nameOf(process.pid)}:${faces++}`,
    isGone,
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

/** Process ids mean something only within one boot of one machine, and there within one container. */
const HERE = here()

/** `host/machine-boot-container`. */
function here(): string {
  const boot = readOr('/proc/sys/kernel/random/boot_id', null)
  if (boot === null) return hostname()
  const machine = readOr('/etc/machine-id', '')
  return `${hostname()}/${[machine, boot, pidNamespace()].map(shortened).join('-')}`
}

/** FNV-1a: tells places apart, and needs no cryptography, which would take its time to load. */
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

function isOfEarlierBoot(place: string): boolean {
  const [, machine, boot] = PLACE.exec(place) ?? []
  const [, thisMachine, thisBoot] = PLACE.exec(HERE) ?? []
  return machine !== undefined && machine === thisMachine && boot !== thisBoot
}

/** Machine and boot; names of hosts may hold anything but a slash. */
const PLACE = /^([^/]*\/[0-9a-f]{8})-([0-9a-f]{8})-/

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
