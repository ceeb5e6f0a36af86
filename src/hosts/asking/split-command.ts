import { RefusedError } from '../../core/errors.ts'

/** Blanks, then one word: of quoted parts, escaped characters and plain ones. */
const WORD = /\s*((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+)/gsy
const PART = /'(?<single>[^']*)'|"(?<double>(?:\\.|[^"\\])*)"|\\(?<escaped>.)|(?<plain>[^'"\\]+)/gs

const EDITOR_HINT = 'Correct VISUAL or EDITOR; it may be like `code --wait`.'

/**
 * A command in an environment variable, as a shell splits it: blanks, quotes and backslashes count, nothing is expanded
 * and nothing is run. `hint` says what to do about an open quote. @throws RefusedError `invalid_command` if a quote is left open.
 */
export function splitCommand(text: string, hint: string = EDITOR_HINT): string[] {
  const words = [...text.matchAll(WORD)]
  const end = words.reduce((length, [whole]) => length + whole.length, 0)
  if (text.slice(end).trim() === '') return words.map(([, word = '']) => unquoted(word))
  throw new RefusedError(
    'invalid_command',
    `${JSON.stringify(text)} is no command: a quote or backslash is left open.`,
    { hint },
  )
}

function unquoted(word: string): string {
  const parts = [...word.matchAll(PART)].map(({ groups: { single, double, escaped, plain } = {} }) =>
    // Between double quotes a backslash stands for itself, except before these.
    double === undefined ? (single ?? escaped ?? plain ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1'),
  )
  return parts.join('')
}
