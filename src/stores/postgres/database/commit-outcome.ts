/**
 * P4: if the connection is lost during a commit, its outcome is unknown to the process that asked for it. PostgreSQL knows it
 * by the id of the transaction.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../../store-error.ts'
import { storeFailures } from '../../store-refusals.ts'

const REST_MS = 50
/** The server ends the session of a lost connection before that. */
const MOST_LOOKS = 600

/** `status` asks PostgreSQL for the status of the transaction. @throws StoreError `store_commit_unknown` if it cannot be known. */
export async function hasCommitted(status: () => Promise<unknown>, display: string): Promise<boolean> {
  try {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      const found = await status()
      if (found !== 'in progress') return found === 'committed'
      await sleep(REST_MS)
    }
  } catch (cause) {
    throw storeFailures.commitUnknown(display, cause)
  }
  throw storeFailures.commitUnknown(display, null)
}

/** An earlier statement may have written it all, or may do so later, whatever this `write` fails with. */
export async function behindUnknown<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (thrown) {
    throw thrown instanceof StoreError ? thrown.asUnknown() : thrown
  }
}
