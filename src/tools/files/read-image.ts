import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { ToolError } from '../../core/errors.ts'
import { imageType } from '../../core/message/image-facts.ts'
import { sizeText } from '../../core/message/part-words.ts'
import { type ToolParts, toolParts } from '../../core/message/tool-parts.ts'

/** In base64 they are the 5 MB that providers take for one image. */
const MAX_BYTES = 3_750_000
const HEAD_BYTES = 64

/** The image in a file that the model calls `shown`; `null` if it is none. @throws ToolError FILE_TOO_LARGE */
export async function readImage(file: FileHandle, shown: string): Promise<ToolParts | null> {
  const head = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
  const mediaType = mediaTypeOf(head.subarray(0, bytesRead))
  if (mediaType === null) return null
  const { size } = await file.stat()
  const words = `${shown}: ${mediaType}, ${sizeText(size)}`
  if (size > MAX_BYTES)
    throw new ToolError(
      'FILE_TOO_LARGE',
      `${words}. At most ${sizeText(MAX_BYTES)} can be looked at: make it smaller with a command.`,
    )
  const data = (await file.readFile()).toString('base64')
  return toolParts([
    { type: 'text', text: words },
    { type: 'image', media_type: mediaType, data },
  ])
}

/** A text may begin with the letters of an image, but has no bytes that are no text. */
function mediaTypeOf(head: Buffer): string | null {
  return isUtf8(head) && !head.includes(0) ? null : imageType(head)
}
