/** What writing a file would change, line by line. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { sizeText } from '../../core/message/part-words.ts'
import { lineDiff } from '../../core/preview/line-diff.ts'
import type { PreviewPart } from '../../core/preview/preview.ts'
import type { GivenPreview } from '../../ports/agent/preview.ts'
import { onPath } from './file-error.ts'
import type { LocatedPath } from './locate.ts'
import { openFile } from './open-file.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** Characters. A longer difference is told in numbers: the arguments of the call have the new content. */
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
export async function previewFile({ raw, real, shown }: LocatedPath, { to, binds }: Change): Promise<GivenPreview> {
  const now = await onPath(raw, () => readNow(real))
  const basis = { path: real, content: now?.digest ?? null }
  if (now && (now.bytes === null || !isUtf8(now.bytes))) {
    const kind = now.bytes === null ? 'too long to compare' : 'no UTF-8 text'
    return { parts: [text(`${shown}: ${sizeText(now.size)} that are ${kind} are replaced.`)], basis }
  }
  const before = now?.bytes?.toString('utf8') ?? ''
  const part = () => difference(now === null ? `${shown} (new file)` : shown, before, to(before))
  if (binds === 'file') return { parts: () => [part()], basis }
  const made = part()
  return {
    parts: [made],
    basis: made.type === 'diff' ? { path: real, lines: made.diff.replaceAll(PLACE, '@@') } : basis,
  }
}

/** Where a hunk stands in the file does not matter. */
const PLACE = /^@@ .* @@$/gm

function difference(title: string, before: string, after: string): PreviewPart {
  const found = lineDiff(before, after)
  if (found.diff.length <= LONGEST_DIFF) return { type: 'diff', title, ...found }
  return text(
    `${title}: ${found.added} lines come and ${found.removed} go, too many to show. The arguments have all that is written.`,
  )
}

function text(words: string): PreviewPart {
  return { type: 'text', text: words }
}

async function readNow(real: string): Promise<FileNow> {
  try {
    await using file = await openFile(real)
    const { size, mtimeMs } = await file.stat()
    // The time stands for a content that is too long to read.
    if (size > MAX_BYTES) return { bytes: null, size, digest: `${size} bytes of ${mtimeMs}` }
    const bytes = await file.readFile()
    return { bytes, size, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw thrown
  }
}
