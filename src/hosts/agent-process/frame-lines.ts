import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'

/** Bytes of one line, at most. */
export const MOST_FRAME_BYTES: number = 1024 * 1024

/** Calls back with each line that arrives; `null` for one that is too long, after which nothing more is read. */
export function readLines(socket: Socket, onLine: (line: string | null) => void): void {
  const decoder = new StringDecoder('utf8')
  let open: string[] = []
  let bytes = 0
  const fits = (part: string) => {
    bytes += Buffer.byteLength(part)
    open.push(part)
    return bytes <= MOST_FRAME_BYTES
  }
  const end = () => {
    const line = open.join('')
    open = []
    bytes = 0
    if (line.trim() !== '') onLine(line)
  }
  socket.on('data', (chunk: Buffer) => {
    for (const [index, part] of decoder.write(chunk).split('\n').entries()) {
      if (index > 0) end()
      if (fits(part)) continue
      open = []
      socket.pause()
      socket.removeAllListeners('data')
      onLine(null)
      return
    }
  })
}
