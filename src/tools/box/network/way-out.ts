import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import { bracketed, isAddress, spellHost } from '../../../core/effect/host-name.ts'
import { connectToProxy, type Environment, type OuterProxy, outerProxyFor, tunnelThrough } from './outer-proxy.ts'
import { isLoopback, isPublic } from './public-addresses.ts'

/** `refuse_quietly` is for hosts that a rule refuses: nobody needs to be asked about them. */
export type HostVerdict = boolean | 'refuse_quietly'

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

export interface RefusedHost extends HostAndPort {
  readonly quietly: boolean
}

export interface WayOutOptions {
  /** Asked before anything is sent or resolved. The host is in the one spelling of `spellHost`. */
  mayReach(host: string, port: number): HostVerdict
  /** The addresses of a name; the resolver of the system if it is left out. */
  resolve?: ((host: string) => Promise<readonly string[]>) | undefined
  /** Where a proxy of the machine is named; `process.env` if it is left out. */
  readonly env?: Environment | undefined
}

export type Opened =
  | { readonly kind: 'open'; readonly socket: Socket; readonly host: string; readonly through: OuterProxy | null }
  /** `text` is for who asked: what was refused and what to do. */
  | { readonly kind: 'refused' | 'unreachable' | 'malformed'; readonly text: string }

/** More would fill the memory of the host, and nobody reads them. */
const MOST_NOTED = 100
const CONNECT_MS = 30_000

/** The only way from a box to a host: each connection is ruled on, by name and by address, before a byte is sent. */
export class WayOut {
  readonly refused: RefusedHost[] = []
  readonly reached: HostAndPort[] = []
  readonly #options: WayOutOptions

  constructor(options: WayOutOptions) {
    this.#options = options
  }

  /** Opens a connection. A plain request may go to a proxy of the machine, which then has to be given the whole URL. */
  async open(written: string, port: number, use: 'tunnel' | 'request'): Promise<Opened> {
    const host = spellHost(written)
    if (host === null)
      return {
        kind: 'malformed',
        text: `${JSON.stringify(written.slice(0, 100))} is no name of a host. Nothing was sent.`,
      }
    const verdict = this.#options.mayReach(host, port)
    if (verdict !== true) return this.#refuse(host, port, verdict, '')
    try {
      return await this.#connect(host, port, use)
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      return {
        kind: 'unreachable',
        text: `${bracketed(host)}:${port} is permitted, but could not be reached: ${reason}.`,
      }
    }
  }

  async #connect(host: string, port: number, use: 'tunnel' | 'request'): Promise<Opened> {
    const kind = use === 'tunnel' ? 'https' : 'http'
    const through = outerProxyFor(this.#options.env ?? process.env, kind, host, port)
    if (through !== null) return this.#connectThrough(through, { host, port }, use)
    const all = isAddress(host) ? [host] : await this.#addressesOf(host)
    const fit = all.filter(address => this.#mayLeadTo(host, address, port))
    const [first] = all
    if (first === undefined) throw new Error('its name has no address')
    if (fit.length === 0) return this.#refuse(first, port, this.#options.mayReach(first, port), host)
    const socket = await connected(toOneOf(host, fit, port))
    note(this.reached, { host, port })
    return { kind: 'open', socket, host, through: null }
  }

  /** The proxy resolves the name, so its addresses are not seen here. */
  async #connectThrough(through: OuterProxy, { host, port }: HostAndPort, use: 'tunnel' | 'request'): Promise<Opened> {
    const isWhole = use === 'request' && through.url.protocol === 'http:'
    const socket = isWhole
      ? await connected(connectToProxy(through, CONNECT_MS))
      : await tunnelThrough(through, host, port, CONNECT_MS)
    note(this.reached, { host, port })
    return { kind: 'open', socket, host, through: isWhole ? through : null }
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    const found = await (this.#options.resolve ?? systemAddresses)(host)
    return found.map(address => spellHost(address)).filter(address => address !== null)
  }

  /**
   * Whoever owns a name decides where it leads. A public address may be reached by name unless a rule refuses it; one of
   * this machine or of a private network only if it is permitted itself, or `localhost` is.
   */
  #mayLeadTo(host: string, address: string, port: number): boolean {
    if (host === address) return true
    if (/(^|\.)localhost$/.test(host) && isLoopback(address)) return true
    const verdict = this.#options.mayReach(address, port)
    return isPublic(address) ? verdict !== 'refuse_quietly' : verdict === true
  }

  #refuse(host: string, port: number, verdict: HostVerdict, name: string): Opened {
    const quietly = verdict === 'refuse_quietly'
    note(this.refused, { host, port, quietly })
    const target = `${bracketed(host)}:${port}`
    const what = name === '' ? target : `${name} leads to ${target}, which`
    const why = quietly ? 'is refused by a rule' : 'is not permitted'
    return {
      kind: 'refused',
      text: `${what} ${why}, so no connection was made and nothing was sent. People can permit this host and port.`,
    }
  }
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** Connects to the addresses that were ruled on: no second lookup can give others. */
function toOneOf(host: string, addresses: readonly string[], port: number): Socket {
  const known = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  return connect({
    host,
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    timeout: CONNECT_MS,
    lookup: (_host, options, done) => {
      const [first] = known
      if (options.all) done(null, known)
      else done(null, first?.address ?? '', first?.family)
    },
  })
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.removeAllListeners('timeout').setTimeout(0)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function note<Noted extends HostAndPort>(list: Noted[], entry: Noted): void {
  const isKnown = list.some(({ host, port }) => host === entry.host && port === entry.port)
  if (!isKnown && list.length < MOST_NOTED) list.push(entry)
}
