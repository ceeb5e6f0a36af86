/**
 * Text that bash evaluates although no command says so: in arithmetic it evaluates what variables hold, with the
 * substitutions in their subscripts, and some variables it runs by itself. Read from the text, quoted or not: it fails closed.
 */

const COMPARES = /\s-(?:eq|ne|lt|le|gt|ge)\s/
const SLICE = /^\w+:(?![-+=?])/
const DECLARED = /\b(?:declare|typeset|local)\s+-\w*i/
/** A parameter, or a substitution but for one that only counts. */
const FOREIGN = /\$[\d@*]|\$\((?!\()|`|\$\{(?![#\w])|\$\{\w+[^\w}]/
const NAME = /(?<![\w.])[A-Za-z_]\w*/g
const OPERATOR = /(?<=^|\s)-[a-z]+(?=\s)/g
/** More of them than a person writes are not looked at one by one. */
const MOST_NAMES = 50

/** A whole number, a calculation or a count, and then the end of the word. */
const NUMBER = String.raw`-?\d+(?![\w.\[])|\$\(\(|\$[#?]|\$\{#`
const LISTED = String.raw`in\s+(?:[\d ]+|\{\d+\.\.\d+\}|\$\(seq [\d ]+\))\s*$`
const SETTER = /\b(?:read|mapfile|readarray|getopts|printf|select)\b/

const RUN_BY_BASH = /\b(?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|BASH_ALIASES|BASH_CMDS)\b/
const SETS = /\b(?:read|mapfile|readarray|getopts|printf|select|for|declare|typeset|local|export|unset)\b/
const SETS_IN_PLACE = /\b(?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|BASH_ALIASES|BASH_CMDS)(?::?=\S|\[|\+=)/

const STATEMENTS_END = /[;\n|&]/

/** Substitutions that print a number and nothing else. */
const COUNTS = new RegExp(
  String.raw`\$\(\s*(?:${[
    String.raw`date (?:-\w )?\+["']?%s(?:%N|%3N)?["']?`,
    'nproc',
    String.raw`wc -[lcwm] *<\s*["']?[\w./$-]+["']?`,
    String.raw`grep -\w*c\w* (?:'[^'\n]*'|"[^"$\x60\n]*"|[\w.-]+)(?: ["']?[\w./-]+["']?)?`,
    String.raw`(?:[^()\x60;&\n|]|2>&1|\|(?!\|))*\|\s*(?:wc -[lcwm]|grep -c (?:'[^'\n]*'|"[^"$\x60\n]*"|[\w.-]+))`,
  ].join('|')})\s*(?:2>\/dev\/null\s*)?(?:\|\|\s*(?:true|echo 0)\s*)?\)`,
  'g',
)
const MAY_BE_OTHER = /\b(?:date|nproc|wc|grep|echo|true)\s*\(\)|\b(?:function|alias|enable|hash|PATH)\b/

/** The text with a number in the place of each such substitution. */
function withCounts(text: string): string {
  return MAY_BE_OTHER.test(text) ? text : text.replace(COUNTS, '0')
}

/** Why it is not known what the text evaluates; empty if that is plain. */
export function evaluatedText(text: string): string[] {
  const statements = text.split(STATEMENTS_END)
  const isRun = statements.some(each => RUN_BY_BASH.test(each) && (SETS.test(each) || setsInPlace(each)))
  const problems = isRun ? ['it sets a variable that bash runs by itself'] : []
  const counted = withCounts(text)
  const bodies = arithmeticIn(counted, counted.split(STATEMENTS_END))
  const names = [...new Set(bodies.flatMap(body => body.match(NAME) ?? []))]
  const isOpen =
    names.length > MOST_NAMES ||
    bodies.some(body => FOREIGN.test(body)) ||
    names.some(name => isSetToText(name, counted.split(STATEMENTS_END)))
  return isOpen || DECLARED.test(text) ? [...problems, 'bash evaluates text in its arithmetic'] : problems
}

/** A plain assignment is read with its value elsewhere. */
function setsInPlace(statement: string): boolean {
  return SETS_IN_PLACE.test(statement) && !/^\s*\w+=/.test(statement)
}

/** Arithmetic commands and expansions, comparisons of numbers, slices, and `let`. */
function arithmeticIn(text: string, statements: readonly string[]): string[] {
  return [
    ...between(text, '((', '))'),
    ...between(text, '[[', ']]').flatMap(body => (COMPARES.test(body) ? body.replace(OPERATOR, '') : [])),
    ...between(text, '${', '}').flatMap(body => (SLICE.test(body) ? body.slice(body.indexOf(':') + 1) : [])),
    ...statements.filter(each => /\blet\s/.test(each)).map(each => each.replace(/^.*?\blet\s/, '')),
  ]
}

function between(text: string, open: string, close: string): string[] {
  const found: string[] = []
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at)) {
    const end = text.indexOf(close, at + open.length)
    if (end < 0) break
    found.push(text.slice(at + open.length, end))
    at = end
  }
  return found
}

/** True if the script may give the variable anything but a number. One that it does not set comes from outside of it. */
function isSetToText(name: string, statements: readonly string[]): boolean {
  const assigned = new RegExp(String.raw`(?<![\w$(-])${name}(?:\[[^\]]{0,64}\])?\+?=(?!=|${NUMBER})`)
  const named = new RegExp(String.raw`\b${name}\b`)
  const looped = new RegExp(String.raw`\bfor\s+${name}\b(?!\s+${LISTED})`)
  return statements.some(each => named.test(each) && (assigned.test(each) || SETTER.test(each) || looped.test(each)))
}
