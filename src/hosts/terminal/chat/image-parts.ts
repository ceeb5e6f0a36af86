import { basename, extname, resolve } from 'node:path'
import { messageOf, refused } from '../../../core/errors.ts'
import type { ContentPart } from '../../../core/message/part.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}
/** `@shot.png`, or `@"my shot.png"`. */
const NAMED = /(?<=^|\s)@(?:"([^"]+)"|(\S+))/g

/** The images that a message names by path: it stays as it is, and they go along. @throws RefusedError `unreadable_file` */
export async function imageParts(text: string, directory: string): Promise<readonly ContentPart[]> {
  const paths = [...text.matchAll(NAMED)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const images = [...new Set(paths)].filter(path => extname(path).toLowerCase() in TYPES)
  return Promise.all(images.map(path => imagePart(path, directory)))
}

async function imagePart(path: string, directory: string): Promise<ContentPart> {
  const media_type = TYPES[extname(path).toLowerCase()] ?? ''
  const { readFile } = await import('node:fs/promises')
  try {
    const data = (await readFile(resolve(directory, path))).toString('base64')
    return { type: 'image', media_type, data, name: basename(path) }
  } catch (thrown) {
    throw refused(
      'invalid_arguments',
      `The image ${path} cannot be read: ${messageOf(thrown)}.`,
      'Correct the path behind @, or write it without @.',
    )
  }
}
