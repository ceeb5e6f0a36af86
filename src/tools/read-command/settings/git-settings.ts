/** Settings and options by which git runs what its words do not tell, for this command or for later ones. */

const SETTING = String.raw`(?:alias|protocol|include|includeif)\.[^\n]*|core\.hookspath|init\.templatedir`
const EXT = String.raw`(?:[^\n]*[=.])?ext::`
const PROGRAM = [
  String.raw`core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor`,
  String.raw`interactive\.difffilter|uploadpack\.packobjectshook`,
  String.raw`(?:filter|diff|merge|difftool|mergetool|credential|pager|gpg|browser|man|trailer|sendemail)\.[^\n=]*`,
  String.raw`remote\.[^\n=]*\.(?:uploadpack|receivepack|vcs)|submodule\.[^\n=]*\.update`,
].join('|')
const SET_FOR_ONCE = new RegExp(
  String.raw`(?:^|\n)(?:${EXT}|--config-env|(?:-c\n?)?(?:(?:${SETTING})=(?!/dev/null(?:\n|$))|(?:${PROGRAM})=!?(?!/(?:usr/)?bin/)[^\s=]*/))`,
  'i',
)

/** Keys whose value git never runs. */
const HARMLESS_KEY = new RegExp(
  `^(?:${[
    String.raw`(?:user|author|committer|advice|color|column|log|status|rerere|pull|push|fetch|i18n|https?|pack)\.[^\n]*|gc\.(?!recentobjectshook)[^\n]*`,
    String.raw`core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|longpaths|symlinks|safecrlf|whitespace|abbrev|excludesfile)`,
    String.raw`init\.defaultbranch|safe\.directory|commit\.(?:gpgsign|verbose)|tag\.(?:gpgsign|sort)|merge\.(?:ff|conflictstyle)`,
    String.raw`rebase\.auto\w+|diff\.(?:renames|algorithm|colormoved|noprefix|mnemonicprefix)|submodule\.recurse|lfs\.url`,
    String.raw`(?:branch|remote)\.[^\n]*\.(?:remote|merge|rebase|url|pushurl|fetch)|url\.[^\n]*\.(?:push)?insteadof`,
  ].join('|')})$`,
  'i',
)

/** Options of one subcommand; the name is a pattern over subcommands. */
const UNREAD_OPTIONS: readonly (readonly [subcommands: RegExp, option: RegExp])[] = [
  [/^(clone|init|submodule)$/, /^--te[a-z]*(=.|$)/s],
  [/^(clone|fetch|pull|ls-remote|fetch-pack)$/, /^--(u|up|upl[a-z-]*)(=|$)/],
  [/^clone$/, /^-[A-Za-z]*u/],
  [/^(push|send-pack)$/, /^--rec[a-z-]*(=|$)/],
  [/^archive$/, /^--exec(=|$)/],
  [/^remote-(ext|fd)$/, /^/],
]

/** True if git, with these words joined by newlines, runs what they do not tell, or sets what it will run later. */
export function gitRunsUnread(joined: string): boolean {
  const words = joined.split('\n')
  const at = subcommandAt(words)
  const subcommand = words[at] ?? ''
  const behind = words.slice(at + 1)
  return (
    SET_FOR_ONCE.test(joined) ||
    words.slice(0, at).some(word => /^--exec-path=./s.test(word)) ||
    UNREAD_OPTIONS.some(([subcommands, option]) => subcommands.test(subcommand) && behind.some(w => option.test(w))) ||
    (subcommand === 'config' && setsUnknown(behind))
  )
}

const TAKES_VALUE = /^(-[cC]|--(git-dir|work-tree|namespace|super-prefix|attr-source))$/

function subcommandAt(words: readonly string[]): number {
  let at = 0
  while (words[at]?.startsWith('-')) at += TAKES_VALUE.test(words[at] ?? '') ? 2 : 1
  return at
}

const READS = /^(--(get|list|unset|remove-s|show-).*|-l|get|list|unset|remove-section)$/
const CONFIG_VALUE = /^(-f|--(file|blob|type|default|comment|value|url))$/

/** `git config KEY VALUE` and `git config set KEY VALUE`, where it is not known that git never runs the value. */
function setsUnknown(words: readonly string[]): boolean {
  const operands = words.filter((word, at) => !word.startsWith('-') && !CONFIG_VALUE.test(words[at - 1] ?? ''))
  const options = words.filter(word => word.startsWith('-'))
  if (options.some(word => READS.test(word)) || READS.test(operands[0] ?? '')) return false
  const [key = '', value] = operands[0] === 'set' ? operands.slice(1) : operands
  return value !== undefined && !HARMLESS_KEY.test(key)
}

const UPLOAD_PACK = /(?:^|\n)-[A-Za-z]*u/

/** True for `git clone -u PROGRAM`. */
export function clonesFrom(joined: string): boolean {
  // Searched for by itself: within the pattern it would take time that grows with the square of the length.
  const text = `\n${joined}`
  const at = text.indexOf('\nclone\n')
  return at >= 0 && UPLOAD_PACK.test(text.slice(at))
}
