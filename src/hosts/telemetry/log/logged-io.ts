import type { Io } from '../../process/io.ts'
import type { JsonLog } from './json-log.ts'

/** Outputs whose texts for people become lines of a log. */
export function loggedIo(io: Io, log: JsonLog | null): Io {
  if (log === null) return io
  const messageAt = (level: 'info' | 'warn') => (text: string) => log.write(level, 'message', { message: text.trim() })
  return { ...io, out: messageAt('info'), err: messageAt('warn') }
}
