/** Shows what writing a file would change, line by line. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { sizeText } from '../../core/message/part-words.ts'
import { lineDiff } from '../../core/preview/line-diff.ts'
import type { PreviewPart } from '../../core/preview/preview.ts'
import type { GivenPreview } from '../../ports/agent/preview.ts'
import { onPath } from './file-error.ts'
import type { LocatedPath } from './locate.ts'
import { openFile } from './open-file.ts'
import { isSecretFile } from './secret-file.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** Characters. A longer difference is shown in numbers only: the arguments of the call have the new content. */
const LONGEST_DIFF = 256 * 1024

/** `null` if there is no file. */
type FileNow = { readonly bytes: Buffer | null; readonly size: number; readonly digest: string } | null

export interface Change {
  /** The new text of the file; the old one is empty if there is no file. */
  readonly to: (text: string) => string
  /** The basis: all that is in the file, or the lines that are shown, so that edits of one batch do not disturb each other. */
  readonly binds: 'file' | 'lines'
}

/** @throws ToolError */
export async function previewFile(place: LocatedPath, change: Change): Promise<GivenPreview> {
  const { raw, real } = place
  if (isSecretFile(real)) return withoutContent(place)
  const now = await onPath(raw, () => readNow(real))
  const basis = { path: real, content: now?.digest ?? null }
  const part = () => partOf(place, now, change.to)
  // The digest of the file is enough.
  if (change.binds === 'file') return { parts: () => [part()], basis }
  const made = part()
  return {
    parts: [made],
    basis: made.type === 'diff' ? { path: real, lines: made.diff.replaceAll(PLACE, '@@') } : basis,
  }
}

/** The position of a hunk in the file does not matter. */
const PLACE = /^@@ .* @@$/gm

function partOf({ shown }: LocatedPath, now: FileNow, to: Change['to']): PreviewPart {
  if (now === null) return difference(`${shown} (new file)`, '', to(''))
  const { bytes, size } = now
  if (bytes === null) return text(`${shown}: ${sizeText(size)} that are too long to compare are replaced.`)
  if (!isUtf8(bytes)) return text(`${shown}: ${sizeText(size)} that are no UTF-8 text are replaced.`)
  const before = bytes.toString('utf8')
  return difference(shown, before, to(before))
}

/** P1: all who see the hold see its preview, and who has the content of such a file has the rights of its owner. */
async function withoutContent({ raw, real, shown }: LocatedPath): Promise<GivenPreview> {
  const changed = await onPath(raw, () => lstat(real)).catch(() => null)
  const words = `${shown} proves to Holdpoint who a caller is, so its content is not shown. It would be changed.`
  return { parts: [text(words)], basis: { path: real, changed: changed?.mtimeMs ?? null } }
}

function difference(title: string, before: string, after: string): PreviewPart {
  const found = lineDiff(before, after)
  if (found === null) return text(`${title}: too much to compare line by line. The arguments have all that is written.`)
  if (found.diff.length <= LONGEST_DIFF) return { type: 'diff', title, ...found }
  return text(
    `${title}: ${found.added} lines come and ${found.removed} go, too many to show. The arguments have all that is written.`,
  )
}

function text(words: string): PreviewPart {
  return { type: 'text', text: words }
}

/** `null` if there is no file, or none that is text of a usual length. */
export async function textNow(real: string): Promise<string | null> {
  const now = await readNow(real).catch(() => null)
  return now?.bytes && isUtf8(now.bytes) ? now.bytes.toString('utf8') : null
}

async function readNow(real: string): Promise<FileNow> {
  try {
    await using file = await openFile(real)
    const { size, mtimeMs } = await file.stat()
    // The modification time replaces the digest of a content that is too long to read.
    if (size > MAX_BYTES) return { bytes: null, size, digest: `${size} bytes of ${mtimeMs}` }
    const bytes = await file.readFile()
    return { bytes, size, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw thrown
  }
}
