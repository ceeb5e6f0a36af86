/**
 * Programs that only read the files their operands name, with the options under which they do: `"reads": "auto"` lets
 * them pass (docs/policy.md). A program that is not listed here is not known to only read.
 */

export interface Reader {
  /** Options that write nothing, run nothing, and follow no links. */
  readonly flags: RegExp
  /** Options whose value is the next word, which is no path. */
  readonly takes?: RegExp
  /**
   * The kind of the other words. `after`: the first is a pattern or a script, and the others are paths. `one`: a path
   * alone.
   */
  readonly operands: 'paths' | 'text' | 'after' | 'one' | 'none'
  /** The first operand; unknown text is none. */
  readonly first?: RegExp
  /** With such an option it reads all files below its paths, hidden ones among them. */
  readonly searches?: RegExp
}

const LETTERS = /^-[A-Za-z0-9]+$/
const NOTHING = /^(?!)/
const WORDS = '(?:=[^/~]*)?$'

function longOr(letters: string, long: string): RegExp {
  return new RegExp(`^-[${letters}]+$|${longOnly(long)}`)
}

function longOnly(long: string): string {
  return `^--(?:${long.replaceAll(' ', '|')})${WORDS}`
}

const LS = longOr(
  'AaBbCcdFfGghIiklmNnopqQrRSsTtUuvwXxZ1',
  'all almost-all classify colou?r full-time group-directories-first human-readable inode recursive ' +
    'reverse size sort time time-style',
)
const GREP = longOr(
  'ivwxcolLnHhsrqEFGPabzZyU0-9',
  'include exclude exclude-dir colou?r recursive ignore-case line-number files-with-matches count ' +
    'files-without-match invert-match word-regexp fixed-strings extended-regexp only-matching no-messages ' +
    'no-filename with-filename context after-context before-context max-count null quiet text',
)
const RG = longOr(
  'nilcwvoFSsuUNHIPx.0-9',
  'hidden no-ignore glob type type-not ignore-case smart-case fixed-strings multiline count ' +
    'files-with-matches files-without-match no-heading heading column line-number colou?r sort stats json ' +
    'max-count context after-context before-context only-matching word-regexp max-depth no-filename ' +
    'no-line-number null vimgrep trim max-columns passthru iglob',
)
const SORT = longOr('bdfgihnRrVcCmszu', 'reverse unique numeric-sort human-numeric-sort key zero-terminated')

/** One command of a sed script that prints or leaves out. */
const SED_STEP = String.raw`(?:(?:\d+|\$|/[^/\\\n[]+/)(?:,(?:\+?\d+|\$|/[^/\\\n[]+/))?!?)?[pq=]`

// biome-ignore format: the table is the documentation
const TABLE: Readonly<Record<string, Reader>> = {
  'echo true false : which seq nproc uname sleep exit': { flags: /^-(?!v)/, operands: 'text' },
  'printf':         { flags: NOTHING, operands: 'text', first: /^/ },
  'pwd':            { flags: /^-[LP]$/, operands: 'none' },
  'ls':             { flags: LS, takes: /^-[Iw]$/, operands: 'paths' },
  'cat nl basename dirname': { flags: LETTERS, operands: 'paths' },
  'head tail':      { flags: /^-[A-Za-z0-9]+$|^-[nc][+-]\d+$|^--(?:lines|bytes)=[-+]?\d+$/, takes: /^-[nc]$/, operands: 'paths' },
  'wc':             { flags: longOr('lcwmL', 'lines words bytes chars'), operands: 'paths' },
  'cut':            { flags: /^-[dfcbsnz]|^--(?:delimiter|fields|characters|bytes|complement|only-delimited|output-delimiter)(?:=.*)?$/, takes: /^-[dfcb]$/, operands: 'paths' },
  'tr':             { flags: LETTERS, operands: 'text' },
  'stat':           { flags: /^-[LtcfFnx]+$|^--(?:format|printf|terse)(?:=[^/~]*)?$/, takes: /^-[cf]$/, operands: 'paths' },
  'du':             { flags: longOr('abchkmsx0-9d', 'max-depth summarize human-readable apparent-size all total'), takes: /^-d$/, operands: 'paths' },
  'sort':           { flags: new RegExp(`${SORT.source}|^-[kt].*$`), takes: /^-[kt]$/, operands: 'paths' },
  'uniq':           { flags: longOr('cdDiuz', 'count repeated unique ignore-case'), operands: 'one' },
  'grep egrep fgrep': { flags: GREP, takes: /^-[ABCm]$/, operands: 'after', searches: /^-\w*r|^--recursive$/ },
  'rg':             { flags: RG, takes: /^-[ABCmgtTM]$|^--(?:glob|iglob|type|type-not|sort|color|max-count|context|max-depth)$/, operands: 'after', searches: /^-[\w.]*[u.]|^--hidden$/ },
  'jq':             { flags: /^-[nrRcCMSejsa]+$|^--(?:raw-output|compact-output|null-input|slurp|sort-keys|raw-input|exit-status|tab)$/, operands: 'after', first: /^(?!.*\b(?:import|include|input_filename|env|modulemeta|get_search_list)\b)(?!.*ENV)/s },
  'sed':            { flags: /^-[nErsuz]+$/, operands: 'after', first: new RegExp(`^(?:\\s*${SED_STEP}\\s*(?:[;\\n]|$))+$`) },
  'date':           { flags: /^-[uR]+$|^--(?:utc|iso-8601)(?:=\w+)?$/, operands: 'text', first: /^\+/ },
}

/** By program. */
export const READERS: ReadonlyMap<string, Reader> = new Map(
  Object.entries(TABLE).flatMap(([programs, reader]) => programs.split(' ').map(name => [name, reader] as const)),
)

const LONG_OF_LOG =
  'oneline stat shortstat numstat name-only name-status graph decorate all no-merges merges first-parent ' +
  'follow reverse patch no-patch max-count skip since until after before author committer grep format ' +
  'pretty abbrev-commit abbrev date cached staged word-diff colou?r no-color no-ext-diff no-textconv ' +
  'ignore-space-change ignore-all-space summary diff-filter unified minimal patience histogram ' +
  'compact-summary no-renames exit-code quiet left-right cherry-pick branches tags remotes merge-base ' +
  'relative raw check dirstat'
const LOG_FLAGS = new RegExp(
  `^(?!.*%G)-(?:\\d+|[puswbiMCRzqv]|n\\d*|U\\d+|L.*|S.*|G.*)$|${longOnly(LONG_OF_LOG).replace('^', '^(?!.*%G)')}`,
)
/** `-S` is left out, because it names a file. */
const BLAME_FLAGS = new RegExp(
  `^-(?:[wMCsenltf]|L.*)$|${longOnly('date abbrev since porcelain show-name show-number')}`,
)

/** Subcommands of git that only read, and their options. */
export const GIT_READERS: Readonly<Record<string, RegExp>> = {
  status:
    /^-(?:[sbvuz]+|u(?:no|normal|all))$|^--(?:short|branch|long|verbose|show-stash|ignored|no-renames)$|^--(?:porcelain|untracked-files)(?:=\w+)?$/,
  log: LOG_FLAGS,
  diff: LOG_FLAGS,
  show: LOG_FLAGS,
  blame: BLAME_FLAGS,
  'rev-parse':
    /^--(?:show-toplevel|short(?:=\d+)?|abbrev-ref|verify|is-inside-work-tree|show-prefix|git-dir|symbolic-full-name)$/,
  'ls-files': /^-[tcdomszk]+$|^--(?:cached|others|modified|deleted|exclude-standard|stage)$/,
}

/** The tests of find; each takes the next word as long as it is not listed in `ALONE`. */
export const FIND_TESTS: RegExp =
  /^-(?:i?name|i?path|i?wholename|i?regex|regextype|type|maxdepth|mindepth|size|[mac]time|[mac]min|perm|user|group|printf)$/
export const FIND_ALONE: RegExp =
  /^(?:-(?:not|o|or|a|and|print|print0|prune|empty|quit|depth|daystart|xdev|true|false|readable|executable|writable)|[!(),])$/

/** Tests of text. */
export const TEXT_TESTS: RegExp = /^(?:-[nzo]|-(?:eq|ne|lt|le|gt|ge)|==?|!=?)$/
/** Tests of files. */
export const FILE_TESTS: RegExp = /^-(?:[a-hkprstuwxGLNOS]|nt|ot|ef)$/
