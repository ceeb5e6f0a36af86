import { isNotebook, notebookText } from '../../core/message/notebook-text.ts'
import type { FilePart, ImagePart } from '../../core/message/part.ts'

type Part = ImagePart | FilePart

/** The parts of a journal stay the same objects, and each is sent with every step. */
const KNOWN = new WeakMap<Part, string | null>()

/** The text of a file, whatever its type is called: notes, tables, source code, notebooks. `null` if it is no text. */
export function textOfFile(part: Part): string | null {
  const known = KNOWN.get(part)
  if (known !== undefined) return known
  const text = part.data === undefined ? null : decoded(Buffer.from(part.data, 'base64'), part.media_type)
  const read = text !== null && isNotebook(part.name ?? '', part.media_type) ? (notebookText(text) ?? text) : text
  KNOWN.set(part, read)
  return read
}

/** Control characters, except those that space a text. A PDF may have none, and is no text either. */
const NO_TEXT = /^%PDF|[^\P{Cc}\s]/u
/** Logs have colours. */
const ESCAPE = '\u001b'

function decoded(bytes: Buffer, media_type: string): string | null {
  const text = encodingsOf(bytes, media_type)
    .map(encoding => read(bytes, encoding))
    .find(each => each !== null)
  return text === undefined || NO_TEXT.test(text.replaceAll(ESCAPE, '')) ? null : text
}

/** Spreadsheets write tables in the encodings of Windows: believed only if the file calls itself a text. */
function encodingsOf(bytes: Buffer, media_type: string): readonly string[] {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return ['utf-16le']
  return /^text\//i.test(media_type) ? ['utf-8', 'windows-1252'] : ['utf-8']
}

function read(bytes: Buffer, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
