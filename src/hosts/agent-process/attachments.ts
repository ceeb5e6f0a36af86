import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { basename, extname, isAbsolute, relative, resolve } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { FrameFile } from '../../core/fleet/frames.ts'
import { DEFAULT_MESSAGE_LIMITS } from '../../core/message/limits.ts'
import type { ContentPart } from '../../core/message/part.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'

/** By the end of a file's name; anything else is bytes. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
}

/** The files of a message as parts of it. Their sizes and types are checked with the message. @throws RefusedError `invalid_message` */
export async function attachments(files: readonly FrameFile[], directory: string): Promise<ContentPart[]> {
  const { parts: most, totalBytes } = DEFAULT_MESSAGE_LIMITS
  if (files.length > most) throw invalid(`it has ${files.length} files, and at most ${most} fit`)
  const parts: ContentPart[] = []
  let room = totalBytes
  // Files are read one by one: a message that is too large is refused before all of them are in memory.
  for (const file of files) {
    const { data, ...part } = await attachment(file, directory, room)
    room -= Math.floor((data.length * 3) / 4)
    parts.push({ ...part, data })
  }
  return parts
}

type Attachment = Extract<ContentPart, { readonly data: string }>

async function attachment(file: FrameFile, directory: string, room: number): Promise<Attachment> {
  const { name, media_type, base64, path } = file
  if ((base64 === undefined) === (path === undefined)) throw invalid('a file has either base64 or a path')
  const data = base64 ?? (await readBelow(path ?? '', directory, room)).toString('base64')
  const given = name ?? (path === undefined ? undefined : basename(path))
  const type = media_type ?? MEDIA_TYPES[extname(given ?? '').toLowerCase()] ?? 'application/octet-stream'
  const kind = type.startsWith('image/') ? 'image' : 'file'
  return { type: kind, media_type: type, data, ...(given !== undefined && { name: given }) }
}

/** Links count as what they lead to. */
async function readBelow(path: string, directory: string, room: number): Promise<Buffer> {
  const real = await realBelow(path, directory)
  await using file = await opened(real, path)
  const { size, ino, dev, isFile } = await file.stat().then(found => ({ ...found, isFile: found.isFile() }))
  if (!isFile) throw invalid(`${path} is no file`)
  // A link may have been put in the way after the look and before the file was opened.
  if (!(await isBelow(file, { real, ino, dev, directory }))) throw invalid(`${path} was replaced while it was opened`)
  if (size > room) throw invalid(`${path} has ${size} bytes, which is too much`)
  return readWhole(file, size)
}

interface Opened {
  readonly real: string
  readonly ino: number
  readonly dev: number
  readonly directory: string
}

/** Linux knows the path of an open file. On other systems the path must still name this file. */
async function isBelow({ fd }: FileHandle, { real, ino, dev, directory }: Opened): Promise<boolean> {
  const place = await readlink(`/proc/self/fd/${fd}`).catch(() => null)
  if (place !== null) return liesBelow(place, await realpath(directory))
  const now = await lstat(real).catch(() => null)
  return now?.ino === ino && now.dev === dev && (await realpath(real).catch(() => null)) === real
}

/** @throws RefusedError `invalid_message` if it lies elsewhere */
async function realBelow(path: string, directory: string): Promise<string> {
  const [real, root] = await Promise.all([realpath(resolve(directory, path)), realpath(directory)]).catch(thrown => {
    throw unreadable(path, thrown)
  })
  if (!liesBelow(real, root)) throw invalid(`${path} is not below ${directory}, where the agent works`)
  return real
}

function liesBelow(path: string, root: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}

/** Without waiting for a writer, if it is a pipe; and never through a link at its end. */
async function opened(real: string, path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  return open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch(thrown => {
    throw unreadable(path, thrown)
  })
}

/** Reads as many bytes as the file had, so that a growing file has an end. */
async function readWhole(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

function unreadable(path: string, thrown: unknown) {
  return invalid(`${path} cannot be read: ${messageOf(thrown)}`)
}

function invalid(problem: string) {
  return agentFileRefusals.invalidMessage(problem)
}
