/** P10: the page reports that the end of a hold was in view, because only the page knows. */
import { post } from './client.ts'
import type { HoldView } from './documents.ts'

/** The version of a hold that is on the screen. */
export type Version = Pick<HoldView, 'id' | 'digest' | 'level'>

/** By version: whether the server has it on record. */
const told = new Map<string, Promise<boolean>>()

/** The part of a request that names the version: for a hold without a digest its level alone. */
export function seenOf({ digest, level }: Version): { readonly digest?: string; readonly level: number } {
  return { level, ...(digest !== null && { digest }) }
}

/** Once for each version. */
export function tellShown(hold: Version): void {
  const name = nameOf(hold)
  if (!told.has(name)) told.set(name, tell(hold))
}

/**
 * Resolves once the record is stored, so that it precedes the decision. Without a network there is no record and no
 * decision.
 */
export async function shownOnRecord(hold: Version): Promise<void> {
  const name = nameOf(hold)
  const before = told.get(name)
  if (before === undefined || (await before)) return
  const again = tell(hold)
  told.set(name, again)
  await again
}

function nameOf({ id, digest, level }: Version): string {
  return `${id} ${digest} ${level}`
}

async function tell(hold: Version): Promise<boolean> {
  try {
    await post(`/v1/holds/${hold.id}/shown`, seenOf(hold))
    return true
  } catch {
    return false
  }
}
