import { clonesFrom, gitRunsUnread } from './settings/git-settings.ts'
import { npmRunsUnread, npxRunsUnread, pytestRunsUnread, pythonRunsUnread } from './settings/tool-settings.ts'
import { DOT_COMMAND, HARMLESS_AWK, HARMLESS_SED, SCRIPT_FROM_INPUT } from './words/little-languages.ts'

/**
 * A wrapper runs one of these: its words, its words as shell text, the text for a shell, a file, code of another
 * language in its words or on its input, or what its words do not tell.
 */
type Runs = 'words' | 'script' | 'shell' | 'file' | 'code' | 'input' | 'unread'

export interface Wrapper {
  readonly runs: Runs
  /**
   * The program wraps only if one of its words, or all its words joined by newlines, match; `null`: always. A newline
   * within a word is a U+2028 in the joined ones.
   */
  readonly behind: RegExp | ((joined: string) => boolean) | null
  /** How many words of its own stand before the command, flags aside: the host of `ssh`. */
  readonly operands: number
  /** True if its input or its findings become words of the command. */
  readonly feeds: boolean
}

/** Builtins that take the name of a variable evaluate its subscript, and the substitutions in it. */
const SUBSCRIPT = /\[.*[$`]/s
const CONTAINED = /^(exec|run|shell|ssh|debug|rsh|attach)$/
const RUNNER = /^(exec|run|x|shell|develop|env|hook|tool|-c|--command|--run)$/

// biome-ignore format: the table is the documentation
const ROWS: readonly (readonly [runs: Runs, programs: string, settings?: Partial<Wrapper>])[] = [
  ['shell',  'bash sh zsh dash ksh fish csh tcsh ash mksh oksh pdksh yash rbash lksh elvish nu xonsh pwsh powershell'],
  ['script', 'eval trap alias watch hyperfine watchexec concurrently tmux screen mosh expect script sg newgrp ansible pdsh pssh clush'],
  ['script', 'ssh rsh slogin autossh su runuser runas', { operands: 1 }],
  ['script', 'at batch crontab', { operands: 99 }],
  ['file',   'source .'],
  ['script', 'parallel env_parallel sem rush', { feeds: true }],
  ['words',  'xargs gxargs', { feeds: true }],
  ['words',  'find gfind', { feeds: true, behind: /^-(exec|execdir|ok|okdir|delete|fls|fprint.*)$/ }],
  ['words',  'fd fdfind', { feeds: true, behind: /^(-[A-Za-z]*[xX].*|--exec(-batch)?(=.*)?)$/s }],
  // Privilege, environment, limits, scheduling, tracing.
  ['words',  'sudo doas run0 pkexec env exec command builtin nohup nice ionice time gtime stdbuf setsid setpriv unshare'],
  ['words',  'nsenter strace ltrace truss dtruss gdb lldb valgrind systemd-run systemd-inhibit systemd-nspawn torsocks torify'],
  ['words',  'proxychains proxychains4 caffeinate arch linux32 linux64 i386 x86_64 numactl catchsegv unbuffer entr coproc'],
  ['words',  'prlimit choom schedtool cgexec cpulimit firejail bwrap proot fakeroot fakechroot eatmydata tini dumb-init catatonit'],
  ['words',  'dbus-run-session dbus-launch xvfb-run rlwrap ifne chronic start-stop-daemon daemonize nodemon softlimit nix-shell'],
  ['words',  'chpst sshpass doit noglob nocorrect repeat foreach function select enable hash toybox busybox'],
  ['words',  'uname26 minijail0 sandbox-exec timelimit tsp cross-env dtach abduco !'],
  ['words',  'ld.so ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so ld-musl-aarch64.so'],
  ['words',  'timeout gtimeout chrt flock chroot taskset faketime machinectl perf rr gosu su-exec runcon setuidgid envuidgid setlock envdir logsave pueue foreman setarch capsh wsl cmd dotenv shtool', { operands: 1 }],
  ['words',  'docker podman nerdctl kubectl oc lxc incus crictl docker-compose podman-compose vagrant adb flatpak snap', { operands: 1, behind: CONTAINED }],
  ['words',  'npx bunx pnpx uvx pipx'],
  ['words',  'npm pnpm yarn bun', { behind: /^(exec|x|dlx|explore|env|-[A-Za-z]*[ceC]|--(call|eval|scr|shell|node-o|userc|globalc|prefi).*|scripts\..*=.*)$/s }],
  ['words',  'uv bundle mise asdf pyenv rbenv nodenv volta direnv poetry pipenv pdm hatch rye conda mamba micromamba nix guix devbox', { operands: 1, behind: RUNNER }],
  // Programs that take a command in one of their settings. GNU's take any clear beginning of a long flag for the flag.
  ['words',  'git', { behind: /^(run|foreach|filter-branch|difftool|mergetool|-[A-Za-z]*[xO].*|(-c)?[\w-]+(\.[^=]*)?\.[\w-]+=.*|ext::.*|remote-ext|--git-dir(=.*)?|--(tem.*|u|up|upl.*|rece.*|ex|exe.*|ext.*|op|ope.*|outp.*|co|con|conf.*|too.*|textc.*)(=.*)?)$/s }],
  ['words',  'git', { behind: clonesFrom }],
  ['words',  'tar gtar bsdtar', { behind: /^(--(ch|to|us|rs|rm|in|ne).*|-?[A-Za-z]*[IF].*)$/s }],
  ['words',  'rsync', { behind: /^(-[A-Za-z]*e|--(rsh|rsync-path))/ }],
  ['words',  'scp sftp', { behind: /^-[A-Za-z0-9]*[SoFDJ]/ }],
  ['words',  'sort gsort', { behind: /^(--(co|o)|-[A-Za-z]*o)/ }],
  ['words',  'uniq guniq', { behind: joined => /^(-[^\n]*\n)*[^-\n][^\n]*\n[^-]/.test(joined) }],
  ['words',  'install ginstall', { behind: /^--strip-p/ }],
  ['words',  'jobs', { behind: /^-[A-Za-z]*x/ }],
  ['words',  'ssh-agent'],
  ['script', 'prove', { behind: /^(-[A-Za-z]*e|--exec)/ }],
  ['words',  'split gsplit', { behind: /^--fi/ }],
  ['words',  'rg ag', { behind: /^--(pre|hostname-bin|pager)/ }],
  ['words',  'man less more', { behind: /^(-.*[PHo!]|--(pa|ht)|\+)/s }],
  ['words',  'zip', { behind: /^(-[A-Za-z]*T|--unzip-command)/ }],
  ['words',  'wget', { behind: /^(-[A-Za-z]*e|--(ex|use))/ }],
  ['words',  'make gmake', { behind: /^(--ev|-[A-Za-z]*E|\.?SHELL|(CC|CXX|LD|AR|AS|CPP|FC|RM|MAKE|INSTALL|\w*(CMD|COMMAND|RUN|EXEC))\s*[:+?]*=)/ }],
  ['words',  'cmake', { behind: /^-[EP]/ }],
  ['words',  'go', { behind: /^--?(exec|toolexec|vettool)/ }],
  ['words',  'cargo rustc', { behind: /^(--config|-C|-[A-Za-z]*Z|--codegen)/ }],
  ['words',  'nc ncat netcat', { behind: /^(-[A-Za-z]*[ec]|--(sh-|lua-)?e)/ }],
  ['words',  'socat', { behind: /exec|system|shell/i }],
  ['words',  'tcpdump', { behind: /^-[A-Za-z]*z/ }],
  ['words',  'ip', { behind: /^(e|ex|exe|exec|-[A-Za-z]*b.*)$/ }],
  ['words',  'apt apt-get dpkg yum dnf', { behind: /^(-[A-Za-z]*[oc]|--(op|se|pre|post))/ }],
  ['words',  'tex latex pdftex pdflatex xelatex lualatex luatex pandoc', { behind: /^-+(shell-e|enable-w|filter|lua)|\\write18/ }],
  ['words',  'heroku fly flyctl', { behind: /^(ssh|run|console|--command.*|exec)$/ }],
  ['script', 'gh', { behind: /^alias$/ }],
  ['words',  'gcloud gh', { behind: /^(ssh|--command.*|exec)$/ }],
  ['words',  'mapfile readarray complete compgen bind fc', { behind: /^-[A-Za-z]*[CFWxse]/ }],
  ['words',  'test [ let printf read declare typeset local export readonly unset wait getopts', { behind: SUBSCRIPT }],
  // The command that they run, now or later, is not among their words.
  ['unread', 'ed red ex vi vim vim.basic vim.tiny vim.nox vimdiff vimx gvim nvim view rview rvim emacs newgrp batch run-parts'],
  ['unread', 'gcc g++ cc c++ clang clang++ ld', { behind: /^-+(wrapper|fplugin|plugin|B|specs)/ }],
  ['unread', 'git', { behind: gitRunsUnread }],
  ['unread', 'cargo rustc', { behind: /^--config|linker=[^\n]*\// }],
  ['unread', 'npm pnpm yarn', { behind: npmRunsUnread }],
  ['unread', 'npx', { behind: npxRunsUnread }],
  ['unread', 'pytest py.test', { behind: pytestRunsUnread }],
  ['unread', 'python pypy', { behind: pythonRunsUnread }],
  ['unread', 'python pypy perl ruby php bash sh', { behind: /^<\(/ }],
  ['unread', 'crontab', { behind: joined => !/^(-u\n[^\n]*\n)?-[lr]$/.test(joined) }],
  ['unread', 'at', { behind: /^-[A-Za-z]*f/ }],
  ['unread', 'make gmake', { behind: joined => /(^|\n)(-[A-Za-z]*f\n?|--(make)?file[=\n])(-|\/(dev|proc)\/[^\n]*)(\n|$)/.test(joined) }],
  ['unread', 'make gmake', { behind: /^(-[A-Za-z]*[fE]|--(fi|mak|ev))|=.*\$[({](?!(git|date|nproc|pwd|uname|id|whoami|hostname)\b[^$`()]*\)|\w+\})|!=|^\.?SHELL(FLAGS)?\s*[:+?]*=(?!(\/(usr\/)?bin\/)?(ba|da|z|k)?sh$)/s }],
  ['unread', 'perl', { behind: /^-[A-Za-z0]*F/ }],
  ['unread', 'kubectl oc', { behind: joined => /(^|\n)--(kubec[a-z]*[=\n](?!(~|\$HOME|\$\{HOME\})\/\.kube\/)|kuberc|profile-o)/.test(joined) }],
  ['unread', 'python pypy', { behind: joined => /(^|\n)-[A-Za-z]*m\n?(code|timeit|pdb|runpy|cprofile|profile|trace)(\n|$)/i.test(joined) }],
  ['unread', 'socat', { behind: /exec|system|shell/i }],
  ['unread', 'bind enable', { behind: /^-[A-Za-z]*[xf]/ }],
  ['unread', 'sqlite sqlite3 duckdb', { behind: /(^|\n)\.(sh|sy|exc|lo|[oirl][a-z]*\s[^\n|]*\||on?c?e?\s+-)|\b(edit|load_extension)\(/ }],
  ['unread', 'psql', { behind: /\\!|\\[gow][^\n|\\]*\||\b(to|from)\s+program\b/i }],
  ['unread', 'mysql mariadb', { behind: /\\!|(^|\n)\s?system\s/ }],
  // Code in other languages.
  ['code',   'perl', { behind: /^-[A-Za-z0-9]*[eEnpMmxF]/ }],
  ['code',   'python pypy', { behind: /^-[A-Za-z]*c/ }],
  ['code',   'ruby lua luajit julia rscript r tclsh scala groovy elixir erl ghc runghc swift', { behind: /^(-[A-Za-z]*[eErgl]|--(eval|execute|expr))/ }],
  ['code',   'node nodejs tsx ts-node bun deno', { behind: /^(-[A-Za-z]*[epr]|--(eval|print|require|import|loader|experimental-loader|env-file|inspect)|eval$)/ }],
  ['code',   'php', { behind: /^(-[A-Za-z]*[rRBEFd]|--(run|process))/ }],
  ['input',  'sed gsed awk gawk mawk nawk', { behind: joined => SCRIPT_FROM_INPUT.test(joined) }],
  ['unread', 'sed gsed awk gawk mawk nawk', { behind: /^(-[A-Za-z]*[fE]|--f[a-z]*=)?<\(/ }],
  ['input',  'python pypy perl ruby node nodejs php', { behind: /^(\/dev\/(stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/ }],
  ['input',  'python pypy', { behind: joined => /^(?!(--version|--help|-[Vh])$)(-[^\n]*(\n|$))*$/.test(joined) }],
  ['input',  'perl ruby lua luajit julia rscript r tclsh node nodejs bun deno php', { behind: joined => /^(?!(--version|--help|-[vVh])$)(-[^\n]*(\n|$))*$/.test(joined) }],
  ['code',   'osascript ed ex vi vim vim.basic vim.tiny vim.nox vimdiff vimx gvim nvim view rview rvim emacs m4 gnuplot octave'],
  ['code',   'sqlite sqlite3 psql mysql mariadb duckdb', { behind: /\.(shell|system)|\\!|\\copy|-cmd|edit\(|writefile|^system/ }],
  ['code',   'sqlite sqlite3 duckdb', { behind: DOT_COMMAND }],
  ['code',   'sed gsed', { behind: joined => !HARMLESS_SED.test(joined) }],
  ['code',   'awk gawk mawk nawk', { behind: joined => !HARMLESS_AWK.test(joined) }],
]

const WRAPPERS: ReadonlyMap<string, readonly Wrapper[]> = Map.groupBy(
  ROWS.flatMap(([runs, programs, settings]) =>
    programs.split(' ').map(program => ({ behind: null, operands: 0, feeds: false, ...settings, runs, program })),
  ),
  row => row.program,
)

/** A wrapper at work, and from which of the words on it may run something else. */
export interface WrapperAtWork {
  readonly wrapper: Wrapper
  readonly from: number
}

/** The wrappers that the words from `at` on, a program and its arguments, make use of. `find` may run several commands. */
export function wrappersAtWork(words: readonly string[], at: number): WrapperAtWork[] {
  const wrappers = wrappersNamed(words[at] ?? '')
  const rest = wrappers.length === 0 ? [] : words.slice(at + 1)
  const own = rest.slice(0, ownWords(words[at] ?? '', rest))
  return wrappers.flatMap(wrapper => {
    const { behind } = wrapper
    if (behind === null) return { wrapper, from: at + 1 }
    if (typeof behind === 'function') return behind(joined(own)) ? { wrapper, from: at + 1 } : []
    return own.flatMap((word, index) => (behind.test(word) ? { wrapper, from: at + index + 2 } : []))
  })
}

const RUNS_SCRIPT = /^(npm|pnpm|yarn|bun|cargo)$/
const SCRIPT = /^(run|run-script|test|t|start|bench|r|clippy)$/

/** How many words are for the program itself: what stands behind `npm test --` is for the script. */
function ownWords(program: string, words: readonly string[]): number {
  const end = words.indexOf('--')
  const first = words[0]?.startsWith('+') ? words[1] : words[0]
  return end >= 0 && RUNS_SCRIPT.test(programName(program)) && SCRIPT.test(first ?? '') ? end : words.length
}

function joined(words: readonly string[]): string {
  return words.map(word => word.replaceAll('\n', '\u2028')).join('\n')
}

function wrappersNamed(program: string): readonly Wrapper[] {
  const name = programName(program)
    .toLowerCase()
    .replace(/\.exe$/, '')
  return WRAPPERS.get(name) ?? WRAPPERS.get(name.replace(/(?<![-.\d])[-.\d]+$/, '')) ?? []
}

/** A program is the same by any path to it. `!` and `=` lead programs in git aliases and in zsh. */
export function programName(program: string): string {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return name.replace(/^[!=]+(?=.)/, '')
}

/** Programs that do by an option what another program does, or what a file says. */
const LIKE: readonly (readonly [program: RegExp, option: RegExp, as: string, why: string])[] = [
  [/^g?find$/, /^-delete$/, 'rm', 'find deletes what it finds'],
  [/^curl$/, /^(-[A-Za-z]*K|--config)/, 'curl', 'curl takes options from a file'],
]

/** Another program that a command may stand for, with any operands. */
interface LikeCommand {
  readonly as: string
  readonly why: string
}

/** Only the first word is a program, or any if the command `wraps`. */
export function likeCommands(words: readonly string[], wraps: boolean): LikeCommand[] {
  const names = (wraps ? words : words.slice(0, 1)).map(programName)
  const like = LIKE.flatMap(([program, option, as, why]) => {
    const at = names.findIndex(name => program.test(name))
    return at >= 0 && words.some((word, index) => index > at && option.test(word)) ? { as, why } : []
  })
  return [...like, ...copiedPrograms(words, names)]
}

/** `cp /bin/rm x` and `cp $(which rm) x`: another name for a program, which no rule knows. */
const COPIES = /^g?(cp|mv|ln|link|install|rsync|dd|cat|ditto)$/
const IN_BIN = /^(?:if=)?\/(?:[\w.+-]+\/)*s?bin\/([^/]+)$/
const LOOKED_UP = /(?:which|command -v|type -[pP]|whence)\s+([\w.+-]+)\s*[)`]/

function copiedPrograms(words: readonly string[], names: readonly string[]): LikeCommand[] {
  // Words behind a later one stand behind the first one, too.
  const at = names.findIndex(name => COPIES.test(name))
  if (at < 0) return []
  const copied = words.slice(at + 1).flatMap(word => IN_BIN.exec(word)?.[1] ?? LOOKED_UP.exec(word)?.[1] ?? [])
  return [...new Set(copied)].map(as => ({ as, why: `${names[at]} may give ${as} another name` }))
}

const MOST_NAMES = 64
export const NAMES_REPLACEMENT: RegExp = /^-[IJ]$|^--replace$/
/** `{}` and its relatives, as `find`, `fd`, `xargs` and `parallel` know them. */
const PLACEHOLDER = /\{[^A-Za-z\s{}]*\}/

/** The names that `xargs -I` and the like replace. */
export function namesReplaced(texts: readonly string[]): ReadonlySet<string> {
  const names = texts.flatMap((word, at) => {
    if (NAMES_REPLACEMENT.test(word)) return texts[at + 1] ?? []
    return /^(?:-[IiJ]|--replace=)(.+)$/s.exec(word)?.[1] ?? []
  })
  return new Set(names)
}

export function replacedIn(text: string, replaced: ReadonlySet<string>): boolean {
  return replaced.size > MOST_NAMES || PLACEHOLDER.test(text) || [...replaced].some(name => text.includes(name))
}
