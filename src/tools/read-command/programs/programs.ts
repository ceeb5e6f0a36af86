import type { ReadWord } from '../text/read-word.ts'
import { gitRuns } from './git-command.ts'
import { awkRuns, onlyPrintsLines, sedRuns } from './little-languages.ts'

/**
 * How a program uses its words (docs/design/policy.md#commands). The world is closed: an unlisted program may or may
 * not run them.
 *
 * - `inert`: it does not run them
 * - `words`: a command is among them; `text`: they are shell text; `shell`: it is a shell
 * - `code`: they may be code in another language
 * - `unread`: it runs what they do not name
 * - `writes`: it runs none of them, and writes, or works elsewhere
 */
type Role = 'inert' | 'words' | 'text' | 'shell' | 'code' | 'unread' | 'writes' | 'unknown'

/** How a program uses its words, and which of them may begin a command. */
export interface Use {
  readonly role: Role
  /** From which word on; the program itself is number 0. */
  readonly from: number
  /** How many operands of its own precede the command, options aside: the host of `ssh`. */
  readonly operands: number
  /** True if its input, or what it finds, becomes words of the command. */
  readonly feeds: boolean
}

interface Row {
  readonly role: Role
  /**
   * The row counts only if one of its words matches, and the command follows that one; or if `when` accepts the words,
   * or matches them with a newline before each.
   */
  readonly behind?: RegExp
  readonly when?: RegExp | ((words: readonly string[]) => boolean)
  readonly operands?: number
  readonly feeds?: boolean
}

const VERSION = /^--?(version|help)$|^-[vVh]$/
const PYTEST_RUNS =
  /\n(?:-p\n?(?!no:|xdist)[^\n]|(?:-c\n?|--config-f[a-z]*[=\n])(?!(?:\/dev\/null|pytest\.ini|pyproject\.toml|tox\.ini|setup\.cfg)(?:\n|$))[^\n]|--baset[a-z]*[=\n](?!\/tmp\/)|(?:-o\n?|--override-ini[=\n])(?:addopts=[^\n]*-|python_files=|pythonpath=))/
const COUNTED = String.raw`\$[({](?:(?:git|date|nproc|pwd|uname|id|whoami|hostname)\b[^$\x60()]*\)|\w+\})|\$\w+`
const MAKE_RUNS = new RegExp(
  String.raw`\n(?:-[A-Za-z]*[fE]|--(?:fi|mak|ev)|\.?SHELL(?:FLAGS)?\s*[:+?]*=(?!(?:\/(?:usr\/)?bin\/)?(?:ba|da|z|k)?sh(?:\n|$))|[^\n=]*!=|[^\n=]*=(?=[^\n]*[$;|&\x60])(?!(?:[\w./-]|${COUNTED})*(?:\n|$)))`,
)
const SQLITE_RUNS =
  /\n[^\S\n]*\.[^\n]*\\|\n[^\S\n]*\.(?!(?:tab|sch|mod|hea|ind|dum|sho|hel|data|wid|timeo|sep|null|qui|exi|pri|chan|ech|bai|sta|timer|exp|eqp|lim|lin|bin|db|full|sha|par|prog|import\s[^|]*$)[a-z0-9]*(?:\s|$))[A-Za-z]|\b(?:edit|load_extension|writefile)\(|\n-cmd/m

// biome-ignore format: the table is the documentation
const ROWS: readonly (readonly [programs: string, row: Row])[] = [
  ...[
    '[ arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown cksum comm cp csplit cut date dd df dir dirname du echo expand expr factor false fmt fold',
    'groups head hostid hostname id join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nl nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink realpath',
    'rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep stat stty sum sync tac tail tee test touch tr true truncate tsort tty uname unexpand uniq unlink users wc who whoami yes',
    ': cd exit return break continue shift set umask ulimit times type wait fg bg kill pushd popd dirs read export local declare typeset readonly unset getopts let shopt setopt logout suspend disown',
    'grep egrep fgrep zgrep rgrep file which whereis whatis jq yq tree diff cmp patch gzip gunzip zcat bzip2 bunzip2 xz unxz zstd unzip md5 ps pgrep pkill killall lsof netstat ss ping dig host nslookup',
    'free uptime dmesg vmstat iostat top lscpu lsblk cal bc tput clear column hexdump xxd strings nm objdump readelf size strip openssl iconv dos2unix unix2dos sponge ts pv scc tokei wl-copy xclip pbcopy pbpaste',
    'tsc eslint biome webpack vite esbuild next ruff black isort flake8 rustfmt gofmt golangci-lint rubocop shellcheck hadolint shfmt',
    'apk pacman tofu terraform az systemctl journalctl createdb dropdb pg_dump mysqldump holdpoint jar ffprobe getconf getent git-lfs venv http.server json.tool unittest ensurepip',
  ].map(names => [names, { role: 'inert' }] as const),
  ['sudo doas run0 pkexec env exec command builtin nohup nice ionice time gtime stdbuf setsid setpriv unshare nsenter strace ltrace busybox toybox coproc chronic caffeinate fakeroot xvfb-run noglob !', { role: 'words' }],
  ['timeout gtimeout chrt taskset flock chroot systemd-run setarch', { role: 'words', operands: 1 }],
  ['ld.so ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so ld-musl-aarch64.so ssh-agent npx bunx pnpx uvx pipx', { role: 'words' }],
  ['xargs gxargs', { role: 'words', feeds: true, when: words => words.some(word => word !== '') }],
  ['find gfind', { role: 'words', feeds: true, behind: /^-(exec|execdir|ok|okdir)$/ }],
  ['find gfind', { role: 'unread', when: /\n-(delete|fls|fprint)/ }],
  ['fd fdfind', { role: 'words', feeds: true, behind: /^(-[A-Za-z]*[xX].*|--exec(-batch)?(=.*)?)$/s }],
  ['docker podman nerdctl kubectl oc docker-compose podman-compose', { role: 'words', operands: 1, behind: /^(exec|run|debug)$/ }],
  ['npm pnpm yarn bun', { role: 'words', behind: /^(exec|x|dlx|env)$/ }],
  ['poetry pipenv uv pdm hatch rye pyenv rbenv mise asdf nvm volta bundle', { role: 'words', behind: /^(run|exec|x)$/ }],
  ['cmake', { role: 'words', behind: /^-E$/ }],
  ['python pypy', { role: 'words', behind: /^-[A-Za-z]*m$/ }],
  ['source . bash sh zsh dash ksh fish csh tcsh ash mksh oksh pdksh yash rbash lksh elvish nu xonsh pwsh powershell', { role: 'shell' }],
  ['eval trap alias watch hyperfine watchexec concurrently script sg', { role: 'text' }],
  ['at batch newgrp', { role: 'text', operands: 99 }],
  ['ssh rsh slogin autossh su runuser runas', { role: 'text', operands: 1 }],
  ['parallel env_parallel sem rush', { role: 'text', feeds: true }],
  ['python pypy', { role: 'code', when: words => !/^(-[A-Za-z]*\n)*-[A-Za-z]*m(\n|$)/.test(words.join('\n')) }],
  ['node nodejs tsx ts-node bun deno perl ruby lua luajit julia rscript r tclsh php scala groovy elixir ghc runghc swift', { role: 'code' }],
  ['deno bun', { role: 'unknown', when: /\n(task|x)\n/ }],
  ['cargo', { role: 'unknown', when: /^\n(?![-+]|(b|build|c|check|clippy|doc|r|run|t|test|bench|update|fmt|add|remove|install|publish|new|init|clean|search|tree|fetch|metadata|version)(\n|$))/ }],
  ['gh', { role: 'unknown', when: /\n(config|--)\n/ }],
  ['git', { role: 'unknown', when: /^\n(-[^\n]*\n)*lfs\n/ }],
  ['strace ltrace', { role: 'unread', when: /\n-[A-Za-z]*o\n?[|!]/ }],
  ['ssh slogin autossh', { role: 'unread', when: /\n-[A-Za-z]*F/ }],
  ['env', { role: 'unread', when: /\n(-[A-Za-z]*S|--s)[^\n]*(\n[^\n]*)?[\\$]/ }],
  // Programs that run what their words do not name: always, or by some options. GNU's take any clear beginning of a
  // long one.
  ['ed red ex vi vim vim.basic vim.tiny vim.nox vimdiff vimx gvim nvim view rview rvim emacs osascript m4 gnuplot octave gdb lldb expect run-parts jshell irb ipython', { role: 'unread', when: words => words.length !== 1 || !VERSION.test(words[0] ?? '') }],
  ['python pypy', { role: 'unread', when: /\n-[A-Za-z]*m\n?(code|asyncio|timeit|pdb|runpy|cprofile|profile|trace)(\n|$)/i }],
  ['crontab', { role: 'unread', when: words => !/^-[lr]$/.test(words.at(-1) ?? '') }],
  ['sed gsed', { role: 'unread', when: sedRuns }],
  ['awk gawk mawk nawk', { role: 'unread', when: awkRuns }],
  ['sed gsed', { role: 'writes', when: words => !onlyPrintsLines('sed', words) }],
  ['awk gawk mawk nawk', { role: 'writes', when: words => !onlyPrintsLines('awk', words) }],
  ['git', { role: 'unread', when: gitRuns }],
  ['git', { role: 'writes', when: /\n--outp/ }],
  ['npm pnpm yarn', { role: 'unread', when: words => npmRuns(ownWords(words)) }],
  ['npm pnpm yarn', { role: 'writes', when: /\n(--prefi|-C)/ }],
  ['npx', { role: 'unread', when: words => npmRuns(words.slice(0, words.findIndex(word => !word.startsWith('-')))) }],
  ['pytest py.test', { role: 'unread', when: PYTEST_RUNS }],
  ['make gmake', { role: 'unread', when: MAKE_RUNS }],
  ['make gmake', { role: 'unknown', when: /\n[^\n]*=/ }],
  ['tar gtar bsdtar', { role: 'unread', when: /\n(--(ch|to|us|rs|rm|in|ne)|-?[A-Za-z]*[IF])/ }],
  ['rsync', { role: 'unread', when: /\n(-[A-Za-z]*e|--(rsh|rsync-path))/ }],
  ['scp sftp', { role: 'unread', when: /\n-[A-Za-z0-9]*[SoFDJ]/ }],
  ['sort gsort', { role: 'unread', when: /\n--co/ }],
  ['sort gsort', { role: 'writes', when: /\n(--o|-[A-Za-z]*o)/ }],
  ['uniq guniq', { role: 'writes', when: words => words.filter(word => !word.startsWith('-')).length > 1 }],
  ['split gsplit', { role: 'unread', when: /\n--f/ }],
  ['install ginstall', { role: 'unread', when: /\n--strip-/ }],
  ['jobs', { role: 'unread', when: /\n-[A-Za-z]*x/ }],
  ['rg ag bat', { role: 'unread', when: /\n--(pre|hostname-bin|pager)/ }],
  ['man less more', { role: 'unread', when: /\n(-[^\n]*[PHo!]|--(pa|ht)|\+)/ }],
  ['zip', { role: 'unread', when: /\n(-[A-Za-z]*T|--(unz|test))/ }],
  ['wget', { role: 'unread', when: /\n(-[A-Za-z]*e|--(ex|use))/ }],
  ['curl', { role: 'unread', when: /\n(-[A-Za-z]*K|--config)/ }],
  ['go', { role: 'unread', when: /\n(--?(exec|toolexec|vettool)|(generate|tool)(\n|$))/ }],
  ['cargo rustc', { role: 'unread', when: words => /\n(--config|-[A-Za-z]*Z)|linker=/.test(joined(ownWords(words))) }],
  ['gcc g++ cc c++ clang clang++ ld', { role: 'unread', when: /\n(-+(wrapper|fplugin|plugin|B|specs)|@)/ }],
  ['nc ncat netcat', { role: 'unread', when: /\n(-[A-Za-z]*[ec]|--(sh-|lua-)?e)/ }],
  ['socat', { role: 'unread', when: /exec|system|shell/i }],
  ['tcpdump', { role: 'unread', when: /\n-[A-Za-z]*z/ }],
  ['ip', { role: 'unread', when: /\n(e|ex|exe|exec|-[A-Za-z]*b[^\n]*)(\n|$)/ }],
  ['apt apt-get apt-cache dpkg yum dnf', { role: 'unread', when: /\n(-[A-Za-z]*[oc]|--(op|se|pre|post|st))/ }],
  ['pandoc', { role: 'unread', when: /\n-+(filter|lua|F)/ }],
  ['gcloud', { role: 'unread', when: /\n(ssh|--command[^\n]*)(\n|$)/ }],
  ['gh', { role: 'unread', when: /\n(ssh|exec|alias\n(?!list))/ }],
  ['kubectl oc', { role: 'unread', when: /\n(--kubec[a-z]*[=\n](?!(~|\$HOME|\$\{HOME\})\/\.kube\/)|--kuberc|--profile-o)/ }],
  ['docker podman nerdctl docker-compose podman-compose', { role: 'inert' }],
  ['bind enable hash complete compgen fc history', { role: 'unread', when: /\n-/ }],
  ['mapfile readarray', { role: 'unread', when: /\n-[A-Za-z]*C/ }],
  ['test [ let printf read declare typeset local unset wait getopts mapfile readarray', { role: 'unread', when: /\[[^\n]*[$`]/ }],
  ['sqlite sqlite3 duckdb', { role: 'unread', when: words => SQLITE_RUNS.test(`\n${words.join('\n')}`) }],
  ['psql', { role: 'unread', when: /\\!|\\copy|\\[gow][^\n|\\]*\||\\\w+[^\n\\]{0,400}`|\b(to|from)\s+program\b/i }],
  ['mysql mariadb', { role: 'unread', when: /\\!|[\n\u2028]\s?system\s/ }],
]

const TABLE: ReadonlyMap<string, readonly Row[]> = new Map(
  Object.entries(
    Object.groupBy(
      ROWS.flatMap(([names, row]) => names.split(' ').map(name => ({ name, row }))),
      ({ name }) => name,
    ),
  ).map(([name, rows = []]) => [name, rows.map(({ row }) => row)]),
)

/** Options with which a program that else only looks acts by itself. */
const ACTS: readonly (readonly [program: RegExp, option: RegExp, does: string])[] = [
  [/^g?find$/, /^-delete$/, 'deletes what it finds'],
  [/^g?find$/, /^-f(?:ls|print)/, 'writes a file'],
]

/** Why nobody can know what a program of the role `unread` does with its words. */
export function whyUnread(program: string, words: readonly string[]): string {
  for (const [name, option, does] of ACTS) {
    const found = name.test(program) ? words.find(word => option.test(word)) : undefined
    if (found !== undefined) return `${program} ${found} ${does}`
  }
  return `policy does not read what ${program} runs`
}

/** All that a program, given by the texts of its words, does with them. */
export function usesOf([program = '', ...words]: readonly string[]): readonly Use[] {
  const rows = rowsOf(program)
  if (!rows) return [{ role: 'unknown', from: 1, operands: 0, feeds: false }]
  return rows.flatMap(({ role, behind, when, operands = 0, feeds = false }) => {
    if (!behind) return isWhen(when, words) ? { role, from: 1, operands, feeds } : []
    const own = ownWords(words, program)
    return own.flatMap((word, at) => (behind.test(word) ? { role, from: at + 2, operands, feeds } : []))
  })
}

function isWhen(when: Row['when'], words: readonly string[]): boolean {
  return when === undefined || (typeof when === 'function' ? when(words) : when.test(joined(words)))
}

/** Programs of which a word is a script. */
const TAKES_SCRIPT = /^(?:g?sed|[gmn]?awk|sqlite3?|duckdb|psql|mysql|mariadb|g?make|perl)$/

/** True if all that the program runs may come from elsewhere: its script, or its first operand. */
export function isFedWhole([program, ...words]: readonly ReadWord[]): boolean {
  const name = program?.text ?? ''
  const first = words.find(({ text, literal }) => !literal || !text.startsWith('-'))
  const isScript = first?.literal === false && first.pieces[0] === '' && TAKES_SCRIPT.test(programName(name))
  return isScript || words.some(word => /[{,]-/.test(word.text) && mayTurn(name, word))
}

/** True if a word of unknown text may make the program run something: as an option, or as the script that it takes. */
export function mayTurn(program: string, { literal, pieces: [start = ''] }: ReadWord): boolean {
  const isBegin = start === '' || start.startsWith('-') || TAKES_SCRIPT.test(programName(program))
  return !literal && isBegin && (rowsOf(program) ?? []).some(({ role }) => role !== 'inert' && role !== 'writes')
}

/** `python3.12` is `python`. */
function rowsOf(program: string): readonly Row[] | undefined {
  const name = programName(program)
    .toLowerCase()
    .replace(/\.exe$/, '')
  const plain = /^(perl|python|ruby|php|lua|tclsh|node)[-\d][\w.-]*$/.exec(name)?.[1]
  return TABLE.get(name) ?? TABLE.get(plain ?? name.replace(/(?<![-.\d])[-.\d]+$/, ''))
}

/** The words after `--` are for a script. */
function ownWords(words: readonly string[], program = 'npm'): readonly string[] {
  const end = words.indexOf('--')
  const isForScript = /^(npm|pnpm|yarn|bun|cargo)$/.test(programName(program))
  const runsScript = /^(\+\S+|run|run-script|test|t|start|bench|r|clippy)$/.test(
    words.find(word => !word.startsWith('-')) ?? '',
  )
  return end >= 0 && isForScript && runsScript ? words.slice(0, end) : words
}

function joined(words: readonly string[]): string {
  return words.map(word => `\n${word.replaceAll('\n', '\u2028')}`).join('')
}

/** A program is the same by any path to it. `!` and `=` lead programs in git aliases and in zsh. */
export function programName(program: string): string {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return name.replace(/^[!=]+(?=.)/, '')
}

/** Options and settings by which npm runs what its words do not name. */

const OPTION =
  /^--(?:scr|node-o|userc|globalc|init[-.]m|call|shell|eval|(?:git|editor|viewer)(?:=|$))|^-[A-Za-z]*[ce]$|^explore$/
const KEY =
  /^(?:script-shell|node-options|userconfig|globalconfig|shell|git|editor|viewer|browser|init[-.]module)(?:=|$)/
const PACKAGE_KEY = /^(?:scripts|bin)[=[.](?!\w+=(?:vitest|jest|tsc|mocha|eslint|module)$)/

/** True if npm takes its shell, options of node, or settings from elsewhere, or saves such a setting. */
function npmRuns(words: readonly string[]): boolean {
  const isSet = words.some(word => /^(?:c|config|set)$/.test(word)) && words.some(word => KEY.test(word))
  const isPackage = words.includes('pkg') && words.some(word => PACKAGE_KEY.test(word))
  return isSet || isPackage || words.some(word => OPTION.test(word))
}
