import { setTimeout as sleep } from 'node:timers/promises'
import type { Io } from '../process/io.ts'

/** True if a person can be asked: one reads stdout, and types. */
export function canAsk(io: Pick<Io, 'isTerminal'>): boolean {
  return io.isTerminal && process.stdin.isTTY === true
}

/** Long enough for the terminal to hand over what was typed before. */
const TYPED_AHEAD_MS = 200

/** P1: a line that a person typed after the question was drawn; `null` at Ctrl-C, or if the terminal is gone. */
export async function askLine(question: string): Promise<string | null> {
  const { createInterface } = await import('node:readline/promises')
  await dropTypedAhead()
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const { promise: closed, resolve } = Promise.withResolvers<null>()
  terminal.once('close', () => resolve(null))
  try {
    return await Promise.race([terminal.question(question), closed])
  } catch {
    return null
  } finally {
    terminal.close()
  }
}

async function dropTypedAhead(): Promise<void> {
  const { stdin } = process
  stdin.setRawMode(true).resume()
  await sleep(TYPED_AHEAD_MS)
  stdin.pause().setRawMode(false)
}
