import { deserialize, serialize } from 'node:v8'
import { FOLD_VERSION, type KeptFold } from '../../../core/folds/kept-fold.ts'
import { sha256 } from '../../sha256.ts'
import { first, run, type Work } from '../driver/work.ts'

/** Bytes: what is larger is read from its journal as fast. */
const MOST = 4 * 1024 * 1024

export function* readFold(threadId: string): Work<KeptFold | null> {
  const row = yield* first(
    'SELECT fold FROM @folds WHERE thread = (SELECT number FROM @threads WHERE id = ?1) AND version = ?2',
    [threadId, FOLD_VERSION],
  )
  const kept = row ? foldIn(row['fold'] as Uint8Array) : null
  return kept?.thread.id === threadId ? kept : null
}

/** Hexadecimal digits of the digest, in front of the fold. */
const DIGEST = 64

/** `null` for damaged bytes, or those of a newer engine. */
function foldIn(bytes: Uint8Array): KeptFold | null {
  const fold = bytes.subarray(DIGEST)
  if (Buffer.from(bytes.subarray(0, DIGEST)).toString() !== sha256(fold)) return null
  try {
    return deserialize(fold) as KeptFold
  } catch {
    return null
  }
}

/** Inside a transaction. */
export function* writeFold(kept: KeptFold): Work<void> {
  const fold = serialize(kept)
  if (fold.length > MOST) return
  const bytes = Buffer.concat([Buffer.from(sha256(fold)), fold])
  yield* run(
    `INSERT INTO @folds (thread, version, fold) SELECT number, ?2, ?3 FROM @threads WHERE id = ?1
     ON CONFLICT (thread) DO UPDATE SET version = excluded.version, fold = excluded.fold`,
    [kept.thread.id, FOLD_VERSION, bytes],
  )
}
