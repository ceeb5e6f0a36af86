import { readFileSync, readlinkSync } from 'node:fs'
import type { PlaceName } from '../../../core/people/trusted-place.ts'

/** The namespaces that decide which processes and files a process sees, as Linux names them. */
export interface Namespaces {
  readonly pid: string
  readonly mnt: string
  readonly user: string
}

/** `null` if this process may not know: those of another user's process, for one. */
export function namespacesOf(pid: number): Namespaces | null {
  try {
    const of = (kind: keyof Namespaces) => readlinkSync(`/proc/${pid}/ns/${kind}`)
    return { pid: of('pid'), mnt: of('mnt'), user: of('user') }
  } catch {
    return null
  }
}

/** A container may cover the id of the boot. Then its places are compared with those of all boots. */
export const SOME_BOOT = 'unknown'

/** `null` on a system without namespaces, or without `/proc`. */
export function placeHere(): PlaceName | null {
  place ??= { here: findPlace() }
  return place.here
}

/** A process of Node stays in its place. */
let place: { readonly here: PlaceName | null } | undefined

function findPlace(): PlaceName | null {
  const namespaces = process.platform === 'linux' ? namespacesOf(process.pid) : null
  if (namespaces === null) return null
  return { boot: bootHere(), namespaces: [namespaces.pid, namespaces.mnt, namespaces.user].map(numberOf).join('-') }
}

function numberOf(link: string): string {
  return link.replace(/\D/g, '')
}

/** A mount could show another id. */
const IS_COVERED = /^\S+ \S+ \S+ \S+ \/proc\/sys\/kernel(\/\S*)? /m

function bootHere(): string {
  try {
    if (IS_COVERED.test(readFileSync('/proc/self/mountinfo', 'latin1'))) return SOME_BOOT
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() || SOME_BOOT
  } catch {
    return SOME_BOOT
  }
}

/** True for a process in another namespace of process ids or users than this one, as far as every user may read it. */
export function isInOtherNamespace(pid: number): boolean {
  return depthOf(pid) !== depthOf(process.pid) || textOf(pid, 'uid_map') !== textOf(process.pid, 'uid_map')
}

/** In how many namespaces of process ids it is, counted from that of `/proc`. */
function depthOf(pid: number): number | null {
  const [, ids] = /^NSpid:\s*(.*)$/m.exec(textOf(pid, 'status') ?? '') ?? []
  return ids?.split(/\s+/).length ?? null
}

function textOf(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return null
  }
}
