import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'

/** Bytes of one line, at most. */
export const MOST_FRAME_BYTES: number = 1024 * 1024

/** Calls back with each line that arrives; `null` for one that is too long, after which nothing more is read. */
export function readLines(socket: Socket, onLine: (line: string | null) => void): void {
  const decoder = new StringDecoder('utf8')
  let open: string[] = []
  let bytes = 0
  const end = (rest: string) => {
    const line = open.join('') + rest
    open = []
    bytes = 0
    if (line.trim() !== '') onLine(line)
  }
  socket.on('data', (chunk: Buffer) => {
    const [first = '', ...others] = decoder.write(chunk).split('\n')
    bytes += chunk.length
    const parts = [first, ...others]
    for (const part of parts.slice(0, -1)) end(part)
    if (others.length > 0) bytes = Buffer.byteLength(parts.at(-1) ?? '')
    open.push(parts.at(-1) ?? '')
    if (bytes <= MOST_FRAME_BYTES) return
    open = []
    socket.pause()
    socket.removeAllListeners('data')
    onLine(null)
  })
}
