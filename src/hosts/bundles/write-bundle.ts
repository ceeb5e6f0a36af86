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

/** A file that can be written, found out before anything else happens. Disposed of without `commit`, it leaves no trace. */
export interface ReservedFile extends Disposable {
  /** Durable, beside the place of the file. The last text counts. */
  write(text: string): void
  /** What was written is the file from now on: complete, even after a crash. */
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
  throw new RefusedError('file_exists', `${path} is there already, and is no bundle of ${checkpoint}.`, {
    hint: 'Name another file with --out, or move that one away. Nothing was exported.',
  })
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
    throw new RefusedError('unwritable_file', `The bundle cannot be written to ${path}: ${messageOf(cause)}.`, {
      hint: 'Name a file in a directory that may be written and has room, and export it again.',
      cause,
    })
  }
}
