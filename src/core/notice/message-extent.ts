/**
 * P9: whether a message has room for all that an approval of a hold releases. If not, it offers no approval, and no reply
 * to it approves: half of a call is worse than none.
 */
import type { Hold } from '../hold/hold.ts'
import { noticeRequest } from './notice-text.ts'
import { previewInWords } from './preview-text.ts'

/** Bytes of HTML. Mail programs cut mails of about 100 KB, and the frame of ours needs some of that. */
const MOST_OF_MAIL = 60_000
/** Characters. GitHub takes 65,536 in a comment, and other texts of ours have room beside the request. */
export const MOST_OF_COMMENT = 50_000

type Asking = Pick<Hold, 'message' | 'tool' | 'arguments' | 'preview'>

/** True if a mail shows all of it. Else it shows no arguments and no preview. */
export function fitsMail(hold: Asking): boolean {
  const { isWhole } = previewInWords(hold)
  return isWhole && bytesAsHtml(requestInWords(hold)) <= MOST_OF_MAIL
}

/** True if a comment on GitHub shows all of it. Else it shows the first part. */
export function fitsComment(hold: Asking): boolean {
  const { isWhole } = previewInWords(hold)
  return isWhole && requestInWords(hold).length <= MOST_OF_COMMENT
}

/** The question, the arguments and the preview, one below the other. */
export function requestInWords(hold: Asking): string {
  const { asks, arguments: args } = noticeRequest(hold)
  return [asks, args, previewInWords(hold).text].filter(each => each !== null).join('\n\n')
}

/** The longest way in which HTML writes it: a quotation mark takes six bytes, an accent two. */
function bytesAsHtml(text: string): number {
  let bytes = 0
  for (const character of text) bytes += ENTITIES.has(character) ? LONGEST_ENTITY : utf8Length(character)
  return bytes
}

const ENTITIES: ReadonlySet<string> = new Set(['&', '<', '>', '"', "'"])
const LONGEST_ENTITY = 6

function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
