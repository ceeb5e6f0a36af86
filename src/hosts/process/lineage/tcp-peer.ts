/** Finds the process at the other end of a TCP connection, if it is on this machine. Linux lists it in `/proc/net`. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

/** The fields of a server's socket. */
export interface Connection {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localPort?: number | undefined
}

/** True if the other end is on this machine, by its address. */
export function isOfThisMachine({ remoteAddress }: Connection): boolean {
  if (remoteAddress === undefined) return false
  const address = plain(remoteAddress)
  if (address === '::1' || address.startsWith('127.')) return true
  return Object.values(networkInterfaces()).some(each => each?.some(own => plain(own.address) === address))
}

/** IPv4 as IPv6 is IPv4; a zone names an interface. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** The process that was found last: a client sends many requests. */
let lastFound: number | null = null

/** The processes that hold the other end. */
export interface Holders {
  /** Inode of the socket. */
  readonly inode: string
  /**
   * The process, or, if this process may not look into some of the same user, those that may. Empty if it has ended, or
   * is not to be found.
   */
  readonly pids: readonly number[]
}

/** `null` if there is no other end any more. */
export function holdersOf(connection: Connection): Holders | null {
  const socket = socketOf(connection)
  return socket && { inode: socket.inode, pids: pidsOf(socket) }
}

/** True if the processes that were found hold it still: one may hand it over to another one. */
export function stillHold({ inode, pids }: Holders): boolean {
  return pids.every(pid => holds(pid, inode) === true)
}

function pidsOf(socket: PeerSocket): readonly number[] {
  if (lastFound !== null && holds(lastFound, socket.inode)) return [lastFound]
  const pids = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
  const closed: number[] = []
  const holder = pids.find(pid => {
    const isHolder = holds(pid, socket.inode)
    if (isHolder === null) closed.push(pid)
    return isHolder
  })
  lastFound = holder ?? lastFound
  return holder === undefined ? closed.filter(pid => isOfUser(pid, socket.user)) : [holder]
}

interface PeerSocket {
  readonly inode: string
  readonly user: string
}

/** A row has its own address, that of the other end, …, the user, a timeout and the inode. */
const ROW = /^\s*\d+: (\w+):(\w+) (\w+):(\w+) \S+ \S+ \S+ \S+ +(\d+) +\d+ (\d+) /

function socketOf({ remoteAddress = '', remotePort = 0, localPort = 0 }: Connection): PeerSocket | null {
  const address = kernelHex(plain(remoteAddress))
  for (const line of [...linesOf('/proc/net/tcp'), ...linesOf('/proc/net/tcp6')]) {
    const [, own = '', ownPort = '', , otherPort = '', user = '', inode = '0'] = ROW.exec(line) ?? []
    const isIt = own.endsWith(address) && asPort(ownPort) === remotePort && asPort(otherPort) === localPort
    // A connection that no process holds any more has no inode.
    if (isIt && inode !== '0') return { inode, user }
  }
  return null
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'latin1').split('\n')
  } catch {
    return []
  }
}

function asPort(hex: string): number {
  return Number.parseInt(hex, 16)
}

/** The spelling of an address in `/proc/net`: words of four bytes, each with its last byte first. */
function kernelHex(address: string): string {
  const bytes = address.includes(':') ? bytesOf6(address) : address.split('.').map(Number)
  const words = bytes.flatMap((_, n) => (n % 4 === 0 ? [bytes.slice(n, n + 4).toReversed()] : []))
  return words
    .flat()
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}

function bytesOf6(address: string): number[] {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter(Boolean)
  const [before, after] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].flatMap(group => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/** `null` if this process may not look. */
function holds(pid: number, inode: string): boolean | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(name => target(`/proc/${pid}/fd/${name}`) === `socket:[${inode}]`)
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT' ? false : null
  }
}

function target(link: string): string | null {
  try {
    return readlinkSync(link)
  } catch {
    // The connection was closed meanwhile.
    return null
  }
}

function isOfUser(pid: number, user: string): boolean {
  try {
    const [, ids = ''] = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return ids.split(/\s+/).includes(user)
  } catch {
    return false
  }
}
