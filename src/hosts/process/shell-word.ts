import { quotedWord } from '../../core/text/quoted-word.ts'

/** A word of a POSIX shell command, quoted if a shell would read more into it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text)
}
