import type { Interface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { NEVER, onAbort } from '../../async/on-abort.ts'
import { hearCtrlC } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'

/** True if a person can be asked: one reads stdout, and types. */
export function canAsk(io: Pick<Io, 'isTerminal'>): boolean {
  return io.isTerminal && process.stdin.isTTY === true
}

/** Long enough for the terminal to hand over what was typed before. */
const TYPED_AHEAD_MS = 200

/** P1: a line that a person typed after the question was drawn; `null` at Ctrl-C, at `signal`, or if the terminal is gone. */
export async function askLine(question: string, signal: AbortSignal = NEVER): Promise<string | null> {
  if ((await dropTypedAhead()) === 'leaves' || signal.aborted) return null
  const terminal = await openLines()
  using _ctrlC = hearCtrlC(() => terminal.close())
  const { promise: closed, resolve } = Promise.withResolvers<null>()
  terminal.once('close', () => resolve(null))
  using _stop = onAbort(signal, () => terminal.close())
  try {
    return await Promise.race([terminal.question(question), closed])
  } catch {
    return null
  } finally {
    terminal.close()
  }
}

/** Lines of the person at the terminal. A dumb one edits them itself, as it knows no escape sequences. */
export async function openLines(): Promise<Interface> {
  const { createInterface } = await import('node:readline/promises')
  const knowsEscapes = process.env['TERM'] !== 'dumb'
  return createInterface({ input: process.stdin, output: process.stdout, terminal: knowsEscapes })
}

const CTRL_C = '\u0003'

/** Ctrl-C counts: in raw mode it is no signal, and it decides nothing. */
async function dropTypedAhead(): Promise<'stays' | 'leaves'> {
  const { stdin } = process
  let typed = ''
  const read = (chunk: Buffer) => {
    typed += chunk
  }
  stdin.on('data', read).setRawMode(true).resume()
  await sleep(TYPED_AHEAD_MS)
  stdin.off('data', read).pause().setRawMode(false)
  return typed.includes(CTRL_C) ? 'leaves' : 'stays'
}

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
