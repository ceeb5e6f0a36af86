/** Names that code in Python or JavaScript may use and still run no program and change no file. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    'print len range sum min max abs round sorted int str float list dict set True False None if else for in not and or',
    'import json sys math re platform datetime version version_info dumps loads load stdin indent true false null',
    'console log info error JSON stringify parse Math floor random process versions node v8 arch pid Date now',
    'typeof undefined name dependencies devDependencies scripts engines main length pi sqrt',
  ].flatMap(names => names.split(' ')),
)

const PYTHON_OR_NODE = /^(python|pypy|node|nodejs|bun|deno|tsx|ts-node)/
const STRING = /(['"])(?:(?!\1)[^\\\n]|\\.)*\1/g
const JSON_FILE = /\brequire\((['"])[./\w-]+\.json\1\)/g
const SUBSTITUTION = /^(?:s([/|#,:])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gimsx]*;?\s*)+$/

/** Longer code is for a person to read; the patterns below would take long for it. */
const LONGEST_CODE = 4096

/** True if code in another language plainly neither runs a program nor changes a file. */
export function isHarmlessCode(program: string, code: string): boolean {
  if (code.length > LONGEST_CODE) return false
  if (/^perl/.test(program)) return SUBSTITUTION.test(code) && !/[@`]|\?\??\{|\$\{/.test(code)
  if (!PYTHON_OR_NODE.test(program)) return false
  const bare = code.replace(JSON_FILE, '0').replace(STRING, '""')
  // A template or a computed name would hide what is called.
  if (/[`']|\w""|\[\s*"/.test(bare) || /"/.test(bare.replaceAll('""', ''))) return false
  return (bare.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).every(name => KNOWN.has(name))
}

const AWK_RUNS = /(^|[^|])\|([^|]|$)|system|@/
const SED_RUNS = /(^|[\n;{}\d$/,!\s])e(\s|;|$)|[/|#,:][gpiIm\d]*e[gpiIm\d]*(\s*[;}\n]|$)/

/** True if a script of sed or awk may run a program. */
export function mayRunProgram(program: string, script: string): boolean {
  return (/awk$/.test(program) ? AWK_RUNS : SED_RUNS).test(script)
}
