/**
 * A server on a Unix socket cannot see which process is at the other end. So the client opens a second connection, over
 * loopback, and sends the same secret on both. The system knows the process of the second one.
 */

/** The secret, with a request over a socket. */
export const PEER_HEADER = 'holdpoint-peer'
/** The loopback port for the proof, in the answer to a request that needs one. */
export const PEER_PORT_HEADER = 'holdpoint-peer-port'

const PROOF_MS = 2_000

/** The line that carries the secret. No browser can be made to send it. */
export function peerLine(secret: string): string {
  return `${PEER_HEADER} ${secret}\n`
}

/**
 * Resolves once the server has the secret, or never will: then it refuses the request on the socket, with the reason.
 * The proof lasts as long as the connection, which keeps no process alive.
 */
export async function provePeer(port: number, secret: string): Promise<void> {
  const net = globalThis.process?.getBuiltinModule?.('node:net')
  if (!net) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = net.connect({ host: '127.0.0.1', port }, () => socket.write(peerLine(secret)))
  socket.setTimeout(PROOF_MS, resolve)
  socket.once('data', resolve).once('close', resolve).on('error', resolve)
  await promise
  socket.setTimeout(0).unref().resume()
}
