import type { Io } from '../process/io.ts'
import { askLine, canAsk } from './ask-line.ts'

/** Asks a person at the terminal; no answer is a no. `null` if no person can be asked. */
export function confirmAtTerminal({
  io,
  signal,
}: {
  readonly io: Io
  /** Then it is a no. */
  readonly signal?: AbortSignal
}): ((question: string) => Promise<boolean>) | null {
  if (!canAsk(io)) return null
  return async question => /^\s*y(es)?\s*$/i.test((await askLine(`${question} [y/N] `, signal)) ?? '')
}
