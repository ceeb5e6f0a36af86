import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { scriptRuns } from './sed-script.ts'

/** Scripts of sed and awk, and code in other languages: the forms that plainly run no program. */

/** Longer code is for a person to read, and the patterns below would take long for it. */
const LONGEST = 4096

/** `-f -`: the script is what is read; words with a newline in front of each. */
const SCRIPT_FROM_INPUT =
  /\n(?:-[nrsuzvF]*[fE]\n?|--(?:fi|exe)[a-z]*[=\n])(?:-(?:\n|$)|<\(|(?:[^\n]*\/)?(?:dev|proc)\/|(?:[^\n]*\/)?(?:stdin|fd\/\d+)(?:\n|$))/

export function sedRuns(words: readonly string[]): boolean {
  if (SCRIPT_FROM_INPUT.test(`\n${words.join('\n')}`)) return true
  const end = words.indexOf('--')
  const own = end < 0 ? words : words.slice(0, end + 2)
  if (own.some(word => /^-[nErsuz]*l|^--l/.test(word))) return true
  return scriptRuns(sedScripts(own).join('\n'))
}

/** The scripts among the words: the values of `-e`, or else the first operand. */
function sedScripts(words: readonly string[]): readonly string[] {
  const marked = words.flatMap((word, at) => {
    if (/^-[nErsuz]*e$|^--e[a-z]*$/.test(word)) return words[at + 1] ?? []
    return /^(?:-[nErsuz]*e|--e[a-z]*=)(.+)$/s.exec(word)?.[1] ?? []
  })
  const hasFile = words.some(word => /^-[nErsuz]*f|^--fi/.test(word))
  return marked.length > 0 || hasFile ? marked : words.filter(word => !word.startsWith('-')).slice(0, 1)
}

/** A string or an expression in an awk script; an expression is only possible if no value precedes it. */
const AWK_TEXT = /"(?:[^"\\\n]|\\.)*"|(?<=^\s*|[~(,!{};&|\n]\s*)\/(?:[^/\\\n]|\\.)*\//g
const AWK_PIPES = /(?:^|[^|])\|(?:[^|]|$)/

export function awkRuns(words: readonly string[]): boolean {
  const script = words.join('\n')
  if (
    script.length > LONGEST ||
    /system|@/.test(script) ||
    words.some(word => word.startsWith('-W')) ||
    SCRIPT_FROM_INPUT.test(`\n${script}`)
  )
    return true
  const bare = /\[[^\]]*\/|#/.test(script) ? script : script.replace(AWK_TEXT, '""')
  // Where a slash is left, it is not known what is text.
  return AWK_PIPES.test(bare.includes('/') ? script : bare)
}

// Between brackets a delimiter is a character like any other, so they are not read.
const SED_ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n\u2028[]|\\.)*/)`
const PLAIN_SED = new RegExp(
  String.raw`^(?:-[Ersuz]+\n|-i[.\w]*\n)*(?:-[Ersuz]*n[nErsuz]*\n(?:-[nErsuz]+\n)*)?(?:-e\n)?${sedCommand(1)}(?:;${sedCommand(2)})*(?:\n(?!-)[^\n]*)*$`,
)
const PLAIN_AWK = /^(?:-F\n?[^\n-][^\n]*\n|-v\n?\w+=[^\n]*\n)*(?!-)(?:(?!system)[^|>@\n])*(?:\n(?!-)[^\n]*)*$/

/** One command of a sed script that neither runs nor writes anything; `delimiter` is the number of its own group. */
function sedCommand(delimiter: number): string {
  const piece = `(?:(?!\\${delimiter})[^\\\\\\n\\u2028[]|\\\\.)*\\${delimiter}`
  return String.raw`(?:${SED_ADDRESS}(?:,${SED_ADDRESS})?!?)?(?:[pdqP=]|s([/|#,:])${piece}${piece}[gpiI\d]*)`
}

/** True if the script plainly writes to no file but the one that is edited. */
export function onlyPrintsLines(program: 'sed' | 'awk', words: readonly string[]): boolean {
  const script = words.map(word => word.replaceAll('\n', '\u2028')).join('\n')
  return (program === 'sed' ? PLAIN_SED : PLAIN_AWK).test(script)
}

/** Names that code in Python or JavaScript may use and still run no program and change no file. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'print len range sum min max abs round sorted int str float list dict set True False None if else for in not and or json sys math ' +
    'platform version version_info dumps loads load stdin indent true false null console log JSON stringify parse Math floor process ' +
    'versions node v8 arch pid Date now typeof undefined name dependencies devDependencies scripts engines main length pi const let var ' +
    'path read items keys split strip join lower upper id status data Object utf8 slice includes startsWith endsWith trim toString'
  ).split(' '),
)
const STRING = /(['"])(?:(?!\1)[^\\\n])*\1/g
const IMPORTS = /^import ((?:json|sys|math|platform)(?:, ?(?:json|sys|math|platform))*);/
const OPENS = /\bopen\((['"])(?!\/dev\/|\/proc\/)[\w./~-]+\1\)/g
const READS =
  /\brequire\((['"])[./\w-]+\.json\1\)|\b(?:fs|require\((['"])(?:node:)?fs\2\))\.(?:readFileSync|existsSync)\b/g
const TAKES_FS = /^(?:const|let|var) fs ?= ?require\((['"])(?:node:)?fs\1\);/
const SHOWS_VERSION = /^import ([\w.]+)(?: as (\w+))?; ?print\((?:\1|\2)\.__version__\)$/
/** A computed name, a comment before a quote, a function. In JavaScript a string between brackets is a name, too. */
const HIDES_NAME = /\/|\[(?!\d+\]|""\])|=>/
const NAMES_BY_TEXT = /\[""/
const SUBSTITUTES = /^(?:s([/|#,:])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n@$`]|\\.|\$\d)*\1[gimsx]*;?\s*)+$/
/** Code within a pattern, and variables, of which the names may be code. */
const PERL_EVALUATES = /\?\??\{|@|\$(?![\d/|#,:)])/
const PRINTS = /^print(?: \$F\[-?\d+\])?(?: (?:if|unless) \/(?:[^\\/\n@$`]|\\.)*\/i?)?;?$/

/**
 * True if code in another language plainly only reads and prints. `directory`: where it runs, for Python looks there first
 * for what it imports; `null` if that is not known.
 */
export function onlyPrints(program: string, code: string, directory: string | null): boolean {
  if (code === '') return true
  if (code.length > LONGEST || /`|'''|"""/.test(code)) return false
  if (program.startsWith('perl')) return (SUBSTITUTES.test(code) && !PERL_EVALUATES.test(code)) || PRINTS.test(code)
  if (/^(?:node|bun|deno|tsx)/.test(program))
    return usesKnown(code.replace(TAKES_FS, '').replace(READS, '0'), NAMES_BY_TEXT)
  return program.startsWith('py') && onlyPrintsPython(code, directory)
}

function onlyPrintsPython(code: string, directory: string | null): boolean {
  const modules = (SHOWS_VERSION.exec(code) ?? IMPORTS.exec(code))?.[1]?.split(/, ?/) ?? []
  if (modules.some(name => liesIn(directory, name.split('.', 1)[0] ?? ''))) return false
  return SHOWS_VERSION.test(code) || usesKnown(code.replace(IMPORTS, '').replace(OPENS, '0'), /^(?!)/)
}

function usesKnown(code: string, hides: RegExp): boolean {
  const bare = code.replace(STRING, '""')
  // A letter in front of a string, or a comment before a quote, changes what is text.
  if (/['\\]|\w""/.test(bare) || HIDES_NAME.test(bare) || hides.test(bare) || /"/.test(bare.replaceAll('""', '')))
    return false
  return (bare.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).every(name => KNOWN.has(name) || /^[A-Za-z]$/.test(name))
}

function liesIn(directory: string | null, module: string): boolean {
  return directory === null || [module, `${module}.py`].some(name => existsSync(join(directory, name)))
}
