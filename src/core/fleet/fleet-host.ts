/** A machine or a container, with its own processes and files. */
export interface HostName {
  /** An id that stays over restarts and differs between the machines that share the store. */
  readonly id: string
  /** The name for people. */
  readonly name: string
}

/** A machine that shares its store with others, as the store knows it. */
export interface FleetHost extends HostName {
  /** The URL of its server as others reach it; `null` if none is published. */
  readonly address: string | null
  /** The directory of its tasks' output there, absolute; `null` if it has had none. */
  readonly output: string | null
  /** When a daemon, a worker or a server was seen there, as an ISO time; `null` if none ever was. */
  readonly seen_at: string | null
  /** True if none was seen there for so long that the host counts as gone. */
  readonly is_gone: boolean
}

/** Milliseconds after which a host counts as gone. The clock is the store's. */
export const HOST_LEASE_MS = 30_000

/** Milliseconds from one sign of life of a host to the next. */
export const HOST_BEAT_MS = 10_000

/**
 * True for a task of this host. A task without a host belongs to the machine of the store, or to the first host that
 * starts it.
 */
export function isOfHost({ host }: { readonly host: string | null }, self: string | null): boolean {
  return host === null || host === self
}

/**
 * The URL at which the server of a host is reached now; `null` if none is known. No token meant for another machine is
 * sent to this one.
 */
export function addressOf(host: FleetHost | undefined): string | null {
  if (host === undefined || host.is_gone || host.address === null) return null
  return isOwnAddress(host.address) ? null : host.address
}

/** True if each machine that reads this URL would reach itself: it does not locate another one. */
export function isOwnAddress(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, '') ?? ''
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[0-9a-f]{2}:.*|0:0)\])$/.test(
    host,
  )
}
