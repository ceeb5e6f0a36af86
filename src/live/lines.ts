import type { Socket } from 'node:net'
import type { Ephemeral } from '../ports/event-sink.ts'

/** Longer lines are not sent, and end the connection if they arrive: in bytes. */
export const LONGEST_LINE: number = 1024 * 1024

export type Frame = Readonly<Record<string, unknown>>

/** Calls back with each JSON object that arrives, one a line. Any other line ends the connection. */
export function readFrames(socket: Socket, onFrame: (frame: Frame) => void): void {
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    if (text.length > LONGEST_LINE) socket.destroy()
    for (const line of lines) if (!socket.destroyed) readLine(socket, line, onFrame)
  })
}

function readLine(socket: Socket, line: string, onFrame: (frame: Frame) => void): void {
  try {
    const frame: unknown = JSON.parse(line)
    if (typeof frame !== 'object' || frame === null) throw new TypeError('no object')
    onFrame(frame as Frame)
  } catch {
    socket.destroy()
  }
}

export function lineOf(event: Ephemeral): string {
  return `${JSON.stringify({ event })}\n`
}

export function writeFrame(socket: Socket, frame: Frame): void {
  if (socket.writable) socket.write(`${JSON.stringify(frame)}\n`)
}
