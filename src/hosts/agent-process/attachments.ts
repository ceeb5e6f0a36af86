import { open, realpath } from 'node:fs/promises'
import { basename, extname, isAbsolute, relative, resolve } from 'node:path'
import { messageOf, refused } from '../../core/errors.ts'
import type { FrameFile } from '../../core/fleet/frames.ts'
import { DEFAULT_MESSAGE_LIMITS } from '../../core/message/limits.ts'
import type { ContentPart } from '../../core/message/part.ts'

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
  return Promise.all(files.map(file => attachment(file, directory)))
}

async function attachment({ name, media_type, base64, path }: FrameFile, directory: string): Promise<ContentPart> {
  if ((base64 === undefined) === (path === undefined)) throw invalid('a file has either base64 or a path')
  const data = base64 ?? (await readBelow(path ?? '', directory)).toString('base64')
  const given = name ?? (path === undefined ? undefined : basename(path))
  const type = media_type ?? MEDIA_TYPES[extname(given ?? '').toLowerCase()] ?? 'application/octet-stream'
  const kind = type.startsWith('image/') ? 'image' : 'file'
  return { type: kind, media_type: type, data, ...(given !== undefined && { name: given }) }
}

/** Links count as what they lead to. */
async function readBelow(path: string, directory: string): Promise<Buffer> {
  const [real, root] = await Promise.all([realpath(resolve(directory, path)), realpath(directory)]).catch(thrown => {
    throw invalid(`${path} cannot be read: ${messageOf(thrown)}`)
  })
  const way = relative(root, real)
  if (way === '..' || way.startsWith('../') || isAbsolute(way))
    throw invalid(`${path} is not below ${directory}, where the agent works`)
  // Without waiting for a writer, if it is a pipe.
  await using file = await open(real, O_RDONLY_NONBLOCK)
  const { size, isFile } = await file.stat().then(found => ({ size: found.size, isFile: found.isFile() }))
  if (!isFile) throw invalid(`${path} is no file`)
  if (size > DEFAULT_MESSAGE_LIMITS.totalBytes) throw invalid(`${path} has ${size} bytes, which is too much`)
  return file.readFile()
}

/** `O_RDONLY | O_NONBLOCK` of Linux and macOS. */
const O_RDONLY_NONBLOCK: number = process.platform === 'darwin' ? 0x4 : 0o4000

function invalid(problem: string) {
  return refused('invalid_message', `The message cannot be taken: ${problem}.`, 'Nothing was said.')
}
