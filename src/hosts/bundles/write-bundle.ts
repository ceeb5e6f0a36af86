import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

/** A file that can be written, found out before anything else happens. Disposed of without `commit`, it leaves no trace. */
export interface ReservedFile extends Disposable {
  /** Writes a durable copy next to the file. The last text counts. */
  write(text: string): void
  /** Replaces the file by the copy: complete, even after a crash. */
  commit(): void
}

const OWNER_ONLY = 0o600

/** @throws RefusedError `unwritable_file` or `file_exists` */
export function reserveFile(path: string, checkpoint: string): ReservedFile {
  refuseOtherFile(path, checkpoint)
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const file = guarded(path, () => openSync(temporary, 'wx', OWNER_ONLY))
  let isOpen = true
  return {
    write: text =>
      guarded(path, () => {
        ftruncateSync(file)
        const bytes = Buffer.from(text)
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at)
        fsyncSync(file)
      }),
    commit: () =>
      guarded(path, () => {
        closeSync(file)
        isOpen = false
        renameSync(temporary, path)
        syncDirectory(dirname(path))
      }),
    [Symbol.dispose]: () => {
      if (isOpen) closeSync(file)
      rmSync(temporary, { force: true })
    },
  }
}

const HEAD_BYTES = 4096

/** A bundle of the same checkpoint may be written once more; anything else may be the only copy there is. */
function refuseOtherFile(path: string, checkpoint: string): void {
  if (!existsSync(path)) return
  const head = guarded(path, () => headOf(path))
  if (head.includes(`"checkpoint_id":${JSON.stringify(checkpoint)}`)) return
  throw projectRefusals.fileExists(path, checkpoint)
}

function headOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof RefusedError) throw cause
    throw projectRefusals.unwritableFile(path, messageOf(cause), cause)
  }
}
