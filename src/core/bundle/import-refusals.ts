import { RefusedError } from '../errors.ts'
import type { JournalEvent } from '../journal/event.ts'

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
  return new RefusedError('not_exported', `Thread ${threadId} is here, and goes on here: it did not move away.`, {
    hint: 'Nothing was imported.',
    action: { do: 'look_at_runs' },
  })
}

function outdated(threadId: string): RefusedError {
  return new RefusedError('bundle_outdated', `This store knows more of thread ${threadId} than the bundle has.`, {
    hint: 'Nothing was imported. Name the file of its newest export.',
  })
}

function diverged(threadId: string, seq: number): RefusedError {
  return new RefusedError(
    'bundle_diverged',
    `Thread ${threadId} went on differently here and in the bundle: they part at event ${seq}.`,
    { hint: 'Nothing was imported: two copies of one export went on. Import it into a store of its own.' },
  )
}

/** Refuses a bundle if part of it is in this store already, and differs. */
export function conflicts(detail: string): RefusedError {
  return new RefusedError('bundle_conflicts', `The bundle does not fit into this store: ${detail}.`, {
    hint: 'Nothing was imported. Import it into a store of its own.',
  })
}

/**
 * How many events of a bundle are here already. `here` is the journal of the thread that moved away: it must be what the
 * bundle begins with. @throws RefusedError `bundle_outdated`, `bundle_diverged`
 */
export function knownPart(threadId: string, here: readonly JournalEvent[], events: readonly JournalEvent[]): number {
  const other = here.find((event, index) => !isSame(event, events[index]))
  if (other === undefined) return here.length
  throw other.seq > events.length ? outdated(threadId) : diverged(threadId, other.seq)
}

function isSame(one: JournalEvent, other: JournalEvent | undefined): boolean {
  return JSON.stringify(comparable(one)) === JSON.stringify(other && comparable(other))
}

function comparable({ seq, at, run_id, kind, data }: JournalEvent): readonly unknown[] {
  return [seq, at, run_id, kind, data]
}
