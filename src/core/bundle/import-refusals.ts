import { RefusedError } from '../../../core/errors.ts'

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

export function notExported(threadId: string): RefusedError {
  return new RefusedError('not_exported', `Thread ${threadId} is here, and goes on here: it did not move away.`, {
    hint: 'Nothing was imported.',
    action: { do: 'look_at_runs' },
  })
}

export function outdated(threadId: string): RefusedError {
  return new RefusedError('bundle_outdated', `This store knows more of thread ${threadId} than the bundle has.`, {
    hint: 'Nothing was imported. Name the file of its newest export.',
  })
}

export function diverged(threadId: string, seq: number): RefusedError {
  return new RefusedError(
    'bundle_diverged',
    `Thread ${threadId} went on differently here and in the bundle: they part at event ${seq}.`,
    { hint: 'Nothing was imported: two copies of one export went on. Import it into a store of its own.' },
  )
}

export function conflicts(detail: string): RefusedError {
  return new RefusedError('bundle_conflicts', `The bundle does not fit into this store: ${detail}.`, {
    hint: 'Nothing was imported. Import it into a store of its own.',
  })
}
