/** The commands of a sed script, one by one: the script runs nothing if each of them is known and none runs a program. */

/** Longer scripts are for a person to read. */
const LONGEST = 4096

/** Between brackets a delimiter is a character like any other. */
const BRACKETS = String.raw`\[\^?\]?(?:\[[:.=][^\]\n]*[:.=]\]|[^\]\\\n]|\\[^\]\n])*\]`
const PATTERN = String.raw`\/(?:\\[^\n]|${BRACKETS}|[^\\/\n[])*\/[IM]*`
const END = String.raw`[ \t]*(?=[;}\n#]|$)`

const BETWEEN = /(?:[\s;{}]|#[^\n]*)*/y
const ADDRESS = new RegExp(String.raw`(?:\d+(?:~\d+)?|\$|${PATTERN})`, 'y')
const RANGE = new RegExp(String.raw`[ \t]*,[ \t]*(?:[+~]?\d+|\$|${PATTERN})`, 'y')
const NEGATED = /[ \t]*!*[ \t]*/y
const COMMANDS: readonly RegExp[] = [
  // Commands of one letter, some followed by a number.
  `(?:[=dDgGhHnNpPxz]|[lqQL][ \\t]*\\d*)${END}`,
  // Commands that take the remaining line as text or as the name of a file, and the next line too after a backslash.
  String.raw`[aicrRwW](?:\\\n|\\[^\n]|[^\\\n])*`,
  `(?::[ \\t]*\\w+|[btT](?:[ \\t]*\\w+)?)${END}`,
  String.raw`s([^\w\s\\])(?:\\[\s\S]|${BRACKETS}|(?!\1)[^\\[])*\1(?:\\[\s\S]|(?!\1)[^\\])*\1[gpiImM\d]*(?:${END}|w[^\n]*)`,
  String.raw`y([^\w\s\\])(?:\\[\s\S]|(?!\1)[^\\\n])*\1(?:\\[\s\S]|(?!\1)[^\\\n])*\1${END}`,
].map(source => new RegExp(source, 'y'))

/** True if the script may run a program, or is not read to its end. */
export function scriptRuns(script: string): boolean {
  if (script.length > LONGEST) return true
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(script)
    at += found?.[0].length ?? 0
    return found !== null
  }
  for (take(BETWEEN); at < script.length; take(BETWEEN)) {
    if (take(ADDRESS)) take(RANGE)
    take(NEGATED)
    if (script[at] !== '{' && !COMMANDS.some(take)) return true
  }
  return false
}
