/** One commit at a time in a directory, over all processes of the machine. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { digestOfText } from './read-effect.ts'

const LOOK_MS = 20
const SQLITE_BUSY = 5

/**
 * Waits for its turn; call the result when the commit is over. The turn is a lock of the kernel on an empty database:
 * the turn of a process that was killed is over at once.
 */
export async function commitTurn(boxes: string, workdir: string, signal: AbortSignal): Promise<() => void> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(join(boxes, `commit-${digestOfText(workdir).slice(7, 23)}.lock`))
  try {
    database.exec('PRAGMA busy_timeout = 0')
    while (!isTaken(database)) await delay(LOOK_MS, undefined, { signal })
    return () => database.close()
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

function isTaken(database: { exec(sql: string): void }): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (thrown) {
    if ((thrown as { readonly errcode?: number }).errcode === SQLITE_BUSY) return false
    throw thrown
  }
}
