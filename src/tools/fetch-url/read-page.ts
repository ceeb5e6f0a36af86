/** The text of an answer. What is read is bounded after decompression. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ToolError } from '../../core/errors.ts'
import { type Answer, failed } from './request.ts'

const MAX_BYTES = 5 * 1024 * 1024

export interface Page {
  readonly url: string
  readonly status: number
  /** Without parameters; empty if the server names none. */
  readonly contentType: string
  readonly text: string
  readonly isCut: boolean
}

/** @throws ToolError NOT_TEXT, or FETCH_FAILED if the answer breaks off */
export async function readPage({ url, response }: Answer): Promise<Page> {
  const header = response.headers['content-type'] ?? ''
  const contentType = (header.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (MEDIA.test(contentType)) {
    response.destroy()
    throw notText(url, contentType)
  }
  const { bytes, isCut } = await bodyOf(response).catch(error => {
    throw failed(url, error)
  })
  const text = decoded(bytes, header, isCut)
  if (text.includes('\0')) throw notText(url, contentType || 'no known type')
  return { url: url.href, status: response.statusCode ?? 0, contentType, text, isCut }
}

const MEDIA =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|x-tar|wasm|vnd\.(?!.*[+](?:json|xml))))/

function notText({ host }: URL, type: string): ToolError {
  return new ToolError('NOT_TEXT', `${host} sent ${type}, which is no text. Get it with a command instead.`)
}

export function isHtml({ contentType, text }: Page): boolean {
  if (contentType !== '') return /^(?:text\/html|application\/xhtml\+xml)$/.test(contentType)
  return /^\s*(?:<!doctype html|<html)/i.test(text.slice(0, 1000))
}

async function bodyOf(response: IncomingMessage): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of unpacked(response)) {
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (length > MAX_BYTES) break
  }
  response.destroy()
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BYTES), isCut: length > MAX_BYTES }
}

const UNPACKERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** @throws ToolError FETCH_FAILED for what was not asked for */
function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const unpacker = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding]?.() : undefined
  if (!unpacker) throw new Error(`its encoding ${JSON.stringify(encoding)} is not known`)
  response.on('error', error => unpacker.destroy(error))
  return response.pipe(unpacker)
}

/** By its byte order mark, the header, or what the document says of itself; else UTF-8, or what most old pages are. */
function decoded(bytes: Buffer, header: string, isCut: boolean): string {
  const start = bytes.subarray(0, 1024).toString('latin1')
  const named = markOf(bytes) ?? charsetIn(header) ?? (/<(?:meta|\?xml)[^>]*/i.test(start) ? charsetIn(start) : null)
  const decoder = decoderOf(named)
  if (decoder) return decoder.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function markOf(bytes: Buffer): string | null {
  const mark = bytes.subarray(0, 3).toString('hex')
  if (mark === 'efbbbf') return 'utf-8'
  if (mark.startsWith('fffe')) return 'utf-16le'
  return mark.startsWith('feff') ? 'utf-16be' : null
}

function charsetIn(text: string): string | null {
  return /(?:charset|encoding)\s*=\s*["']?([\w.:-]+)/i.exec(text)?.[1] ?? null
}

function decoderOf(name: string | null): InstanceType<typeof TextDecoder> | null {
  try {
    return name === null ? null : new TextDecoder(name)
  } catch {
    return null
  }
}
