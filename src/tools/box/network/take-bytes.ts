import type { Socket } from 'node:net'

/** Takes exactly `count` bytes from a socket, and leaves the rest in it. @throws Error if it ends before */
export function takeBytes(socket: Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (bytes: Buffer | null) => {
      socket.off('readable', look).off('end', fail).off('close', fail)
      if (bytes) resolve(bytes)
      else reject(new Error('the connection ended too early'))
    }
    const fail = () => settle(null)
    const look = () => {
      const bytes: Buffer | null = socket.read(count)
      if (bytes !== null) settle(bytes.length === count ? bytes : null)
    }
    socket.on('readable', look).on('end', fail).on('close', fail)
    if (socket.destroyed || socket.readableEnded) fail()
    else look()
  })
}

/** Takes text up to a byte of zero, which is taken, too. @throws Error if it is longer than `most` */
export async function takeText(socket: Socket, most: number): Promise<string> {
  const bytes: number[] = []
  while (bytes.length <= most) {
    const [byte = 0] = await takeBytes(socket, 1)
    if (byte === 0) return Buffer.from(bytes).toString('latin1')
    bytes.push(byte)
  }
  throw new Error('a text is too long')
}
