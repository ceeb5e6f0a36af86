// `sed` and `awk` can run commands and write files; only forms that plainly cannot are programs like any other.
// Between brackets a delimiter is a character like any other, so they are not read.
const SED_ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n\u2028[]|\\.)*/)`
export const HARMLESS_SED: RegExp = new RegExp(
  String.raw`^(?:-[Ersuz]+\n|-i[.\w]*\n)*(?:-[Ersuz]*n[nErsuz]*\n(?:-[nErsuz]+\n)*)?(?:-e\n)?${sedCommand(1)}(?:;${sedCommand(2)})*(?:\n(?!-)[^\n]*)*$`,
)
export const HARMLESS_AWK: RegExp =
  /^(?:-F\n?[^\n-][^\n]*\n|-v\n?\w+=[^\n]*\n)*(?!-)(?:(?!system)[^|>@\n])*(?:\n(?!-)[^\n]*)*$/

/** `-f -`: the script of sed or awk is what they read. */
export const SCRIPT_FROM_INPUT: RegExp = /(^|\n)(-[A-Za-z]*[fE]\n?|--(fi|exe)[a-z]*[=\n])(-|\/(dev|proc)\/[^\n]*)(\n|$)/

/**
 * A dot command of sqlite but for those that only show something or set how it is shown. Abbreviations count: `.o` is
 * `.output`, which writes to a file or a program.
 */
const SHOWS = shortened(
  'tables schema mode headers indexes indices dump show help databases width timeout separator nullvalue quit exit print ' +
    'changes echo bail stats timer explain eqp limit lint binary dbinfo fullschema sha3sum parameter progress expert vfslist',
)
export const DOT_COMMAND: RegExp = new RegExp(String.raw`(^|\n)[^\S\n]*\.(?!(?:${SHOWS})(?:\s|$))[A-Za-z]\w*(?:\s|$)`)

/** One command of a sed script that can neither run nor write anything; `delimiter` is the number of its own group. */
function sedCommand(delimiter: number): string {
  const piece = `(?:(?!\\${delimiter})[^\\\\\\n\\u2028[]|\\\\.)*\\${delimiter}`
  return String.raw`(?:${SED_ADDRESS}(?:,${SED_ADDRESS})?!?)?(?:[pdqP=]|s([/|#,:])${piece}${piece}[gpiI\d]*)`
}

/** A pattern of the words, and of their beginnings from the third letter on. */
function shortened(words: string): string {
  const patterns = words.split(' ').map(word => {
    const rest = [...word.slice(3)]
    return `${word.slice(0, 3)}${rest.map(letter => `(?:${letter}`).join('')}${')?'.repeat(rest.length)}`
  })
  return patterns.join('|')
}
