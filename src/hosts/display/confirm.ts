import { createInterface } from 'node:readline/promises'
import type { Io } from '../process/io.ts'

/** Asks a person at the terminal; no answer is a no. `null` if no person can be asked. */
export function confirmAtTerminal({ io }: { io: Io }): ((question: string) => Promise<boolean>) | null {
  if (!io.isTerminal || process.stdin.isTTY !== true) return null
  return async question => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    try {
      return /^\s*y(es)?\s*$/i.test(await terminal.question(`${question} [y/N] `))
    } catch {
      // Ctrl-C or Ctrl-D is a no.
      return false
    } finally {
      terminal.close()
    }
  }
}
