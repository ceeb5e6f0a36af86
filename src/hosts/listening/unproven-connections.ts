import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Connections that have not sent the head of a request yet. If there are more than `most`, the oldest are closed: clients
 * that dribble their requests take no place from others.
 */
export function limitUnproven(server: Server, event: 'connection' | 'secureConnection', most: number): void {
  const unproven = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    unproven.add(socket)
    socket.once('close', () => unproven.delete(socket))
    const [oldest] = unproven
    if (unproven.size > most) oldest?.destroy()
  })
  server.on('request', ({ socket }) => unproven.delete(socket))
}
