import type { FilePart, ImagePart } from '../../core/message/part.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { cutText } from '../../core/text/kept-text.ts'

type Part = ImagePart | FilePart

/** The parts of a journal stay the same objects, and each is sent with every step. */
const KNOWN = new WeakMap<Part, string | null>()

/** The text of a file, whatever its type is called: notes, tables, source code, notebooks. `null` if it is no text. */
export function textOfFile(part: Part): string | null {
  const known = KNOWN.get(part)
  if (known !== undefined) return known
  const text = part.data === undefined ? null : decoded(Buffer.from(part.data, 'base64'), part.media_type)
  const read = text !== null && isNotebook(part) ? (notebookText(text) ?? text) : text
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

function isNotebook({ name = '', media_type }: Part): boolean {
  return /\.ipynb$/i.test(name) || /ipynb/i.test(media_type)
}

/** A Jupyter notebook as Markdown, with the texts of its outputs; `null` if it is none. */
function notebookText(text: string): string | null {
  try {
    const { cells }: JsonObject = JSON.parse(text)
    return Array.isArray(cells) ? cells.filter(isJsonObject).map(cellText).join('\n\n') : null
  } catch {
    return null
  }
}

function cellText({ cell_type, source, outputs }: JsonObject): string {
  if (cell_type !== 'code') return lines(source)
  const results = Array.isArray(outputs) ? outputs.filter(isJsonObject).map(outputText) : []
  return [fenced(lines(source)), ...results.filter(text => text.trim() !== '').map(fenced)].join('\n')
}

const LONGEST_OUTPUT = 10_000

/** Pictures of an output are left out: a notebook is full of them. */
function outputText({ text, data, ename, evalue }: JsonObject): string {
  if (typeof ename === 'string') return `${ename}: ${lines(evalue)}`
  const written = lines(text ?? (isJsonObject(data) ? data['text/plain'] : undefined))
  return written.length > LONGEST_OUTPUT ? `${cutText(written, LONGEST_OUTPUT)}…` : written
}

function lines(source: Json | undefined): string {
  return [source ?? []]
    .flat()
    .filter(line => typeof line === 'string')
    .join('')
}

function fenced(text: string): string {
  return `\`\`\`\n${text.trimEnd()}\n\`\`\``
}
