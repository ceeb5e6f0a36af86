/**
 * P9: whether a message has room for all that an approval of a hold releases. If not, it offers no approval, and no reply
 * to it approves: half of a call is worse than none.
 */
import type { Hold } from '../hold/hold.ts'
import { effectText, noticeBody } from './notice-body.ts'

/** Bytes of HTML. Mail programs cut mails of about 100 KB, and the frame of ours needs some of that. */
const MOST_OF_MAIL = 60_000
/** In HTML, each line of an effect has some markup of its own. */
const BYTES_OF_LINE = 60
/** Characters. GitHub takes 65,536 in a comment; the other texts of the comment need the rest. */
export const MOST_OF_COMMENT = 50_000

/** True if a mail shows all of it. Otherwise it shows no more than the act. */
export function fitsMail(hold: Hold): boolean {
  const text = requestInWords(hold)
  return noticeBody(hold).isWhole && bytesAsHtml(text) + BYTES_OF_LINE * text.split('\n').length <= MOST_OF_MAIL
}

/** True if a comment on GitHub shows all of it. Otherwise it shows the first part. */
export function fitsComment(hold: Hold): boolean {
  return noticeBody(hold).isWhole && requestInWords(hold).length <= MOST_OF_COMMENT
}

/** All that a message says about a request, one part below the other. */
function requestInWords(hold: Hold): string {
  const { act, warnings, words, effect } = noticeBody(hold)
  return [act, ...warnings, words ?? '', effectText(effect)].join('\n\n')
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
