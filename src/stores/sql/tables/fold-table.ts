import { deserialize, serialize } from 'node:v8'
import { FOLD_VERSION, type KeptFold } from '../../../core/folds/kept-fold.ts'
import { first, run, type Work } from '../driver/work.ts'

/** Bytes: what is larger is read from its journal as fast. */
const MOST = 4 * 1024 * 1024

export function* readFold(threadId: string): Work<KeptFold | null> {
  const row = yield* first(
    'SELECT fold FROM @folds WHERE thread = (SELECT number FROM @threads WHERE id = ?1) AND version = ?2',
    [threadId, FOLD_VERSION],
  )
  return row ? foldIn(row['fold']) : null
}

/** `null` for bytes of a newer engine, or damaged ones. */
function foldIn(bytes: unknown): KeptFold | null {
  try {
    return deserialize(bytes as Uint8Array) as KeptFold
  } catch {
    return null
  }
}

/** Inside a transaction. */
export function* writeFold(kept: KeptFold): Work<void> {
  const bytes = serialize(kept)
  if (bytes.length > MOST) return
  yield* run(
    `INSERT INTO @folds (thread, version, fold) SELECT number, ?2, ?3 FROM @threads WHERE id = ?1
     ON CONFLICT (thread) DO UPDATE SET version = excluded.version, fold = excluded.fold`,
    [kept.thread.id, FOLD_VERSION, bytes],
  )
}
