import type { Assignment, SyntaxNode } from 'unbash'
import { readWord } from './read-word.ts'

/** Variables by which a program runs what the words of a command do not name. */

/** A program by its path, but not one of the system. */
const BY_PATH =
  /^(?!\/(?:usr\/(?:local\/)?)?s?bin\/)[^\s=]*\/|^(\S*\/)?(env|nice|exec|[bdkz]?a?sh)\s([^|]*\s)?[^\s=-]*\//
const ANY = /./s

/**
 * Search paths (`PATH`, `PYTHONPATH`, `CLASSPATH`) are not among them: they say where a program is, as `./x` does, and
 * ordinary work sets them.
 */
// biome-ignore format: the table is the documentation
const ROWS: readonly (readonly [names: string, values: RegExp, beside?: RegExp])[] = [
  // Files and libraries that are run.
  ['BASH_ENV ZDOTDIR LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH', ANY],
  ['ENV', ANY, /sh\s+-\w*i/],
  ['GIT_CONFIG\\w* GIT_EXEC_PATH GIT_TEMPLATE_DIR', ANY],
  ['HOME XDG_CONFIG_HOME', ANY, /\bgit\b/],
  ['PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP PYTHONHOME PYTEST_PLUGINS LESSOPEN LESSCLOSE MAKEFILES GIT_ALLOW_PROTOCOL WGETRC CURL_HOME ZIPOPT PIP_PYTHON GCC_EXEC_PREFIX LESSKEY\\w*', ANY],
  ['KUBECONFIG', /^(?!~\/\.kube\/)./s],
  // Programs.
  ['GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND|ASKPASS|EDITOR|SEQUENCE_EDITOR|PAGER)', BY_PATH],
  ['CARGO_\\w+_(RUNNER|LINKER) RUSTC RUSTDOC RUSTC_(\\w+_)?WRAPPER CARGO_BUILD_RUSTC\\w*', BY_PATH],
  // Options.
  ['TAR_OPTIONS', /(^|\s)(--(ch|to|us|rs|rm|in|ne)|-?[A-Za-z]*[IF])/],
  ['NODE_OPTIONS', /(^|\s)((-r|--(require|import|loader|experimental-loader))[\s=]*["']?([./~$]|data:|file:)|--(env-file|experimental-(default-)?config|openssl-conf|build-snapshot))/],
  ['(\\w*JAVA\\w*|MAVEN|GRADLE|SBT|ANT)_(OPTS|OPTIONS)', /-javaagent|-agent(lib|path)|-Xbootclasspath|:On(OutOfMemory)?Error/],
  ['MAVEN_(OPTS|ARGS)', /-Dmaven\.ext\.class\.path/],
  ['GOFLAGS', /-(toolexec|exec|vettool|overlay|modfile)/],
  ['(CARGO_\\w+_)?RUSTFLAGS', /linker=\S*\//],
]

const UNREAD = ROWS.map(([names, values, beside = ANY]) => {
  return { names: new RegExp(`^(?:${names.replaceAll(' ', '|')})$`), values, beside }
})

/** Any variable may hold text that make evaluates. */
const MAKE_TEXT = /\$[({](shell|file|eval|guile|load|call|foreach)\b/

/** No name in the table is longer. */
const LONGEST_NAME = 100

/** True if the variable makes some program run what policy does not read. `source` is all of the shell text. */
export function runsUnread(name: string, value: string, source: string): boolean {
  if ((MAKE_TEXT.test(value) || /[;?]/.test(value)) && /\bg?make\b/.test(source)) return true
  if (name.length > LONGEST_NAME) return false
  const known = value.replace(/^\$(HOME\b|\{HOME\})/, '~').replace(/^\$(PWD\b|\{PWD\})/, '.')
  const rest = known.replace(new RegExp(String.raw`\$(?:${name}\b|\{${name}[^}]*\})`, 'g'), '').trim()
  const mayBeAny = /^[$`]/.test(rest)
  return UNREAD.some(({ names, values, beside }) => {
    return names.test(name) && rest !== '' && (mayBeAny || values.test(rest)) && beside.test(source)
  })
}

const OPTIONS_OF: Readonly<Record<string, string>> = {
  MAKEFLAGS: 'make',
  GNUMAKEFLAGS: 'make',
  PYTEST_ADDOPTS: 'pytest',
  LESS: 'less',
}

/** The command that a variable with options of a program amounts to; `null` if it holds none. */
export function commandOfOptions(name: string, value: string): string | null {
  const [, setting] = /^npm_config_([\w-]+)$/i.exec(name) ?? []
  if (setting !== undefined) return `npm --${setting.toLowerCase().replaceAll('_', '-')}='${value.replaceAll("'", '')}'`
  const program = Object.hasOwn(OPTIONS_OF, name) ? OPTIONS_OF[name] : undefined
  return program === undefined ? null : `${program} ${value}`
}

/** Variables whose value some program runs. */
const RUN_BY_NAME =
  /^PS\d$|COMMAND|PAGER|EDITOR|VISUAL|SHELL|BROWSER|ASKPASS|OPEN$|DIFF|WRAPPER|_?ENV$|RUN|CMD|SSH|EXEC|LINKER|^(CC|CXX|LD|AR|AS|CPP|FC|RM|MAKE|RUSTC|RUSTDOC)$|script_shell$|^GREP$/

export function isRunByName(variable: string): boolean {
  return RUN_BY_NAME.test(variable)
}

/** True if some program runs what a variable of this name holds. */
export function runsByName(name: string): boolean {
  return isRunByName(name) || UNREAD.some(({ names }) => names.test(name))
}

/** Variables that bash runs by itself. */
const RUN_BY_BASH = /\b(?:PS[0-4]|PROMPT_COMMAND|BASH_ALIASES|BASH_CMDS)\b/g

/** True if the script may set such a variable to anything but the literal text in it. */
export function setsRunByBash(nodes: readonly SyntaxNode[], source: string): boolean {
  const named = source.match(RUN_BY_BASH)?.length ?? 0
  return named > 0 && nodes.filter(node => node.type === 'Assignment' && isPlain(node)).length < named
}

function isPlain({ name, value, append }: Assignment): boolean {
  const isKnown = value.type === 'Word' && readWord(value).literal && !/\$\{[^}]*@/.test(value.value)
  return isKnown && !append && /^(?:PS[0-4]|PROMPT_COMMAND)$/.test(name)
}
