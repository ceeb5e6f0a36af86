import type { FrameFile, UserMessageFrame } from '../../../core/fleet/frames.ts'
import type { ContentPart } from '../../../core/message/part.ts'
import type { OutgoingMessage } from '../conversation/conversation.ts'

/** Bytes of a line, with some room for its other fields. */
const MOST_BYTES = 1_000_000

/** The images and files of a message as its frame carries them; `null` if the message is longer than a line may be. */
export function messageFiles({
  text,
  parts,
}: Pick<OutgoingMessage, 'text' | 'parts'>): Pick<UserMessageFrame, 'files'> | null {
  const files = parts.flatMap(fileOf)
  const fields = files.length > 0 ? { files } : {}
  return Buffer.byteLength(JSON.stringify({ text, ...fields })) > MOST_BYTES ? null : fields
}

function fileOf(part: ContentPart): FrameFile[] {
  if (part.type === 'text' || part.data === undefined) return []
  const { data: base64, media_type, name } = part
  return [{ base64, media_type, ...(name !== undefined && { name }) }]
}
