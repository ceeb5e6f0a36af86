/** The processes at the other ends of Unix sockets, as `provePeer` shows them. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { PEER_HEADER, PEER_PORT_HEADER, peerLine } from '../../client/reach/prove-peer.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { Sender } from '../../protocols/http/answer-requests.ts'
import { refusalProblem } from '../../protocols/http/refusal-problem.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { objectionToPeer } from './sender-of.ts'

const HELLO_MS = 2_000
const MOST = 256
const SECRET = /^[0-9a-f]{64}$/
const SECRET_LENGTH = 64
const LINE_LENGTH = peerLine('').length + SECRET_LENGTH

export class PeerProofs {
  readonly #server: Server
  /** Connections by the secret that each of them sent. */
  readonly #peers = new Map<string, Socket>()

  private constructor() {
    this.#server = createServer(socket => this.#meet(socket)).unref()
    this.#server.maxConnections = MOST
    this.#server.on('error', () => {})
  }

  /** Without a port no process can prove anything, and the socket decides nothing. */
  static async open(): Promise<PeerProofs> {
    const proofs = new PeerProofs()
    if (isNeeded()) await once(proofs.#server.listen(0, '127.0.0.1'), 'listening').catch(() => {})
    return proofs
  }

  /** The port for proofs; `null` if there is nothing to prove, or no way to. */
  get port(): number | null {
    const address = this.#server.address()
    return typeof address === 'object' && address ? address.port : null
  }

  /** P1: why the process that sends this secret may decide nothing; `null` if it may. */
  objectionTo(secret: string | null): RefusedError | null {
    if (!isNeeded()) return null
    const peer = secret === null ? undefined : this.#peers.get(secret)
    return peer ? objectionToPeer(peer) : projectRefusals.processNotTrusted(UNPROVEN, HOW)
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#peers.values()) socket.destroy()
  }

  #meet(socket: Socket): void {
    const late = setTimeout(() => socket.destroy(), HELLO_MS).unref()
    let line = ''
    socket.unref().on('error', () => {})
    socket.once('close', () => clearTimeout(late))
    socket.setEncoding('latin1').on('data', (text: string) => {
      line += text
      if (line.length < LINE_LENGTH) return
      clearTimeout(late)
      this.#hear(socket, line)
    })
  }

  #hear(socket: Socket, line: string): void {
    const secret = line.slice(-1 - SECRET_LENGTH, -1)
    const isNew = SECRET.test(secret) && line === peerLine(secret) && !this.#peers.has(secret)
    if (!isNew) return void socket.destroy()
    this.#peers.set(secret, socket)
    socket.once('close', () => this.#peers.delete(secret))
    socket.write('ok\n')
  }
}

/** The sender of a request over a Unix socket. */
export function senderBehind(proofs: PeerProofs, { headers }: Request): Sender {
  const objection = () => {
    const refusal = proofs.objectionTo(headers.get(PEER_HEADER))
    if (refusal === null) return null
    const { port } = proofs
    return { ...refusalProblem(refusal), headers: port === null ? {} : { [PEER_PORT_HEADER]: String(port) } }
  }
  return { from: '', objection }
}

const UNPROVEN = 'over a Unix socket it has to prove which process it is'
const HOW = 'Use `holdpoint`, or its client kit: they do. docs/design/fleet.md says how other programs can.'

/** True if the system shows which process holds a connection. */
function isNeeded(): boolean {
  return process.platform === 'linux'
}
