/**
 * P4: if the connection is lost during a commit, its outcome is unknown to the process that asked for it. PostgreSQL knows it
 * by the id of the transaction.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../../store-error.ts'

const REST_MS = 50
/** The server ends the session of a lost connection before that. */
const MOST_LOOKS = 600

/** `status` asks PostgreSQL for the status of the transaction. @throws StoreError `store_commit_unknown` if it cannot be told. */
export async function hasCommitted(status: () => Promise<unknown>, display: string): Promise<boolean> {
  try {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      const found = await status()
      if (found !== 'in progress') return found === 'committed'
      await sleep(REST_MS)
    }
  } catch (cause) {
    throw commitUnknown(display, cause)
  }
  throw commitUnknown(display, null)
}

/** An earlier statement may have written it all, or may do so later, whatever this `write` fails with. */
export async function behindUnknown<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (thrown) {
    throw thrown instanceof StoreError ? thrown.asUnknown() : thrown
  }
}

function commitUnknown(display: string, cause: unknown): StoreError {
  return new StoreError(
    'store_commit_unknown',
    `The connection to the store ${display} was lost during a commit, so it is unknown whether anything was written.`,
    {
      hint: 'Once the database answers, look at the run, or ask for the same again: a decision or a message with the same id counts once.',
      cause,
      written: 'unknown',
    },
  )
}
