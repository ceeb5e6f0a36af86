import { RefusedError } from '../../../core/errors.ts'
import type { Given } from '../../command/flags.ts'

/** The holds, or calls, that a command is about: at least one. @throws RefusedError `invalid_arguments` */
export function holdNames({ words }: Pick<Given, 'words'>, usage: string): readonly string[] {
  if (words.length > 0) return words
  throw new RefusedError('invalid_arguments', `Usage: holdpoint ${usage}`, {
    hint: '`holdpoint holds` lists what waits.',
  })
}
