import type { Socket } from 'node:net'
import { isIPv6 } from 'node:net'
import { joinSockets, type Patience } from './join-sockets.ts'
import { takeBytes, takeText } from './take-bytes.ts'
import type { HostAndPort, Opened, WayOut } from './way-out.ts'

/** RFC 1928: no authentication; the one command is CONNECT. The first byte, the version, was taken. */
export async function serveSocks5(socket: Socket, way: WayOut, patience: Patience): Promise<void> {
  const [count = 0] = await takeBytes(socket, 1)
  const methods = count === 0 ? Buffer.alloc(0) : await takeBytes(socket, count)
  if (!methods.includes(0)) return void socket.end(Buffer.from([5, 0xff]))
  socket.write(Buffer.from([5, 0]))
  const [version, command, , kind = 0] = await takeBytes(socket, 4)
  if (version !== 5) return void socket.destroy()
  const target = await takeTarget(socket, kind)
  if (target === null) return void socket.end(answer5(8))
  if (command !== 1) return void socket.end(answer5(7))
  const opened = await way.open(target.host, target.port, 'tunnel')
  pass(socket, opened, patience, {
    open: answer5(0),
    refused: answer5(2),
    unreachable: answer5(4),
    malformed: answer5(2),
  })
}

/** SOCKS4, and 4a with names. The first byte, the version, was taken. */
export async function serveSocks4(socket: Socket, way: WayOut, patience: Patience): Promise<void> {
  const head = await takeBytes(socket, 7)
  await takeText(socket, 255)
  const address = [...head.subarray(3)].join('.')
  const hasName = address.startsWith('0.0.0.') && address !== '0.0.0.0'
  const host = hasName ? await takeText(socket, 255) : address
  if (head[0] !== 1) return void socket.end(answer4(0x5b))
  const opened = await way.open(host, head.readUInt16BE(1), 'tunnel')
  const no = answer4(0x5b)
  pass(socket, opened, patience, { open: answer4(0x5a), refused: no, unreachable: no, malformed: no })
}

async function takeTarget(socket: Socket, kind: number): Promise<HostAndPort | null> {
  const host = await takeHost(socket, kind)
  return host === null ? null : { host, port: (await takeBytes(socket, 2)).readUInt16BE() }
}

async function takeHost(socket: Socket, kind: number): Promise<string | null> {
  if (kind === 1) return [...(await takeBytes(socket, 4))].join('.')
  if (kind === 4) return (await takeBytes(socket, 16)).toString('hex').replaceAll(/(.{4})(?!$)/g, '$1:')
  if (kind !== 3) return null
  const [length = 0] = await takeBytes(socket, 1)
  const name = length === 0 ? '' : (await takeBytes(socket, length)).toString('utf8')
  // A client may send an address as a name.
  return isIPv6(name) ? `[${name}]` : name
}

function pass(
  socket: Socket,
  opened: Opened,
  patience: Patience,
  answers: Readonly<Record<Opened['kind'], Buffer>>,
): void {
  if (opened.kind !== 'open') return void socket.end(answers[opened.kind])
  if (socket.destroyed) return void opened.socket.destroy()
  socket.write(answers.open)
  joinSockets(socket, opened.socket, patience)
}

/** The address that the proxy connects from is nobody's business. */
function answer5(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

function answer4(code: number): Buffer {
  return Buffer.from([0, code, 0, 0, 0, 0, 0, 0])
}
