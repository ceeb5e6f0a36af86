/** Names that code in Python or JavaScript may use and still run no program and change no file. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    'print len range sum min max abs round sorted int str float list dict set True False None if else for in not and or',
    'json sys math re platform datetime version version_info dumps loads load stdin indent true false null',
    'console log info error JSON stringify parse Math floor random process versions node v8 arch pid Date now',
    'typeof undefined name dependencies devDependencies scripts engines main length pi sqrt',
    'const let var path read get items keys values split strip join lower upper title id status data Object',
    'utf8 filter map slice includes startsWith endsWith trim toString',
  ].flatMap(names => names.split(' ')),
)
/** A letter alone is a variable. */
const LETTER = /^[A-Za-z]$/

const PYTHON = /^(python|pypy)/
const JAVASCRIPT = /^(node|bun|deno|tsx|ts-node)/
const STRING = /(['"])(?:(?!\1)[^\\\n]|\\.)*\1/g
/** What is only read. */
const READS_FILES =
  /\brequire\((['"])[./\w-]+\.json\1\)|\b(?:fs|require\((['"])(?:node:)?fs\2\))\.(?:readFileSync|existsSync|readdirSync)\b/g
const TAKES_FS = /^(?:const|let|var) fs ?= ?require\((['"])(?:node:)?fs\1\);/
const OPENS = /\bopen\((['"])(?!\/dev\/|\/proc\/)[\w./~-]+\1(?:, ?(['"])rb?\2)?\)/g
/** Modules of Python's own. Another one may be a file that lies here, and to import it runs it. */
const IMPORTS =
  /\bimport (?:json|sys|math|re|platform|datetime)(?:, ?(?:json|sys|math|re|platform|datetime))*(?= *(?:[;\n]|$))/g
const SHOWS_VERSION = /^import ([\w.]+)(?: as (\w+))?; ?print\((?:\1|\2)\.__version__\)$/

/** Longer code is for a person to read; the patterns below would take long for it. */
const LONGEST_CODE = 4096

/** True if code in another language plainly neither runs a program nor changes a file. */
export function isHarmlessCode(program: string, code: string): boolean {
  if (code.length > LONGEST_CODE) return false
  if (/^perl/.test(program)) return isHarmlessPerl(code)
  if (PYTHON.test(program)) return SHOWS_VERSION.test(code) || isHarmlessPython(code)
  return JAVASCRIPT.test(program) && isHarmlessJavaScript(code)
}

const SUBSTITUTION = /^(?:s([/|#,:])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gimsx]*;?\s*)+$/
const PRINTS = /^print(?: \$F\[-?\d+\])?(?: (?:if|unless) \/(?:[^\\/\n]|\\.)*\/i?)?;?$/

function isHarmlessPerl(code: string): boolean {
  return (SUBSTITUTION.test(code) || PRINTS.test(code)) && !/[@`]|\?\??\{|\$\{/.test(code)
}

/** What stands between three quotes would be read as something else. */
function isHarmlessPython(code: string): boolean {
  return !/'''|"""/.test(code) && usesKnown(code.replace(IMPORTS, '').replace(OPENS, '0').replace(STRING, '""'))
}

/** What hides the name of what is called: a computed name, a walk through an object, and a comment before a quote. */
const HIDES_NAME = /\/|\[(?!\d+\])|\bvalues\b|process.*=>|=>.*process/s

function isHarmlessJavaScript(code: string): boolean {
  const bare = code.replace(TAKES_FS, '').replace(READS_FILES, '0').replace(STRING, '""')
  return !HIDES_NAME.test(bare) && usesKnown(bare)
}

/** `bare`: code without its strings. */
function usesKnown(bare: string): boolean {
  // A template, or a string with a letter in front, may hold code.
  if (/[`']|[^\W]""/.test(bare) || /"/.test(bare.replaceAll('""', ''))) return false
  return (bare.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).every(name => KNOWN.has(name) || LETTER.test(name))
}

/** `perl -pi -e CODE`: the code is behind the last of its flags. */
const FLAGS_BEFORE_CODE = /^-[0-7lanpiws]+(\.\w+)?$/
const FLAG_OF_CODE = /^-[0-7lanpiws]*[eE]$/

const INLINE = /^-[A-Za-z0-9]*[cepE]|^--(eval|print|execute|expr|run|process)|^eval$/
const INLINE_PHP = /^-[rRB]/
/** `perl -MList::Util=sum`. */
const MODULE = /^-[mM]-?[\w:]+(=[\w,:]+)?$/

/** True if a word is code that the flag before it announces. */
export function isInlineCode(program: string, flag: string, code: string): boolean {
  if (FLAGS_BEFORE_CODE.test(flag) && FLAG_OF_CODE.test(code)) return false
  if (program.startsWith('perl') && MODULE.test(flag)) return false
  return INLINE.test(flag) || hidesCode(flag) || (program.startsWith('php') && INLINE_PHP.test(flag))
}

/** `perl -MPOSIX;CODE` */
export function hidesCode(flag: string): boolean {
  return /^-\w*[mM].*[^\w:=,.-]/s.test(flag)
}

/** A string or an expression in the script of awk; an expression only stands where no value is before it. */
const AWK_TEXT = /"(?:[^"\\\n]|\\.)*"|(?<=^\s*|[~(,!{};&|\n]\s*)\/(?:[^/\\\n]|\\.)*\//g
const AWK_RUNS = /system|@/
const AWK_PIPES = /(^|[^|])\|([^|]|$)/
const SED_RUNS = /(^|[\n;{}\d$/,!\s])e(\s|;|$)|[/|#,:][gpiIm\d]*e[gpiIm\d]*(\s*[;}\n]|$)/

/** True if a script of sed or awk may run a program. */
export function mayRunProgram(program: string, script: string): boolean {
  return /awk$/.test(program) ? awkMayRun(script) : SED_RUNS.test(script)
}

function awkMayRun(script: string): boolean {
  const bare = script.length > LONGEST_CODE || /\[[^\]]*\/|#/.test(script) ? script : script.replace(AWK_TEXT, '""')
  // Where a slash is left, it is not known what is text.
  return AWK_RUNS.test(script) || AWK_PIPES.test(bare.includes('/') ? script : bare)
}
