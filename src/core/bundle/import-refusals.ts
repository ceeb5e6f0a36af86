import { RefusedError } from '../errors.ts'
import type { JournalEvent } from '../journal/event.ts'
import { bundleRefusals } from '../refusals/bundle-refusals.ts'

/** Refuses a bundle that this store has imported before. */
export function alreadyImported({
  bundle_id,
  run_id,
  checkpoint_id,
}: {
  bundle_id: string
  run_id: string
  checkpoint_id: string | null
}): RefusedError {
  return new RefusedError(
    'already_imported',
    `${bundle_id} was imported here before: run ${run_id} is in this store.`,
    {
      hint: checkpoint_id === null ? 'Its thread was deleted here since. A bundle is resumed once.' : null,
      action: checkpoint_id === null ? null : { do: 'resume_or_fork', id: checkpoint_id },
      details: { bundle_id, checkpoint_id },
    },
  )
}

/** Refuses the import of a thread that never left this store. */
export function notExported(threadId: string): RefusedError {
  return bundleRefusals.notExported(threadId)
}

/** Refuses a bundle if part of it is in this store already, and differs. */
export function conflicts(detail: string): RefusedError {
  return bundleRefusals.conflicts(detail)
}

/**
 * How many events of a bundle are here already. `here` is the journal of the thread that moved away: it must be what the
 * bundle begins with. @throws RefusedError `bundle_outdated`, `bundle_diverged`
 */
export function knownPart(threadId: string, here: readonly JournalEvent[], events: readonly JournalEvent[]): number {
  const other = here.find((event, index) => !isSame(event, events[index]))
  if (other === undefined) return here.length
  throw other.seq > events.length ? bundleRefusals.outdated(threadId) : bundleRefusals.diverged(threadId, other.seq)
}

function isSame(one: JournalEvent, other: JournalEvent | undefined): boolean {
  return JSON.stringify(comparable(one)) === JSON.stringify(other && comparable(other))
}

function comparable({ seq, at, run_id, kind, data }: JournalEvent): readonly unknown[] {
  return [seq, at, run_id, kind, data]
}
