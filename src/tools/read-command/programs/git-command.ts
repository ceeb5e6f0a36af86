/** Finds what git runs besides its own commands, by settings, options and aliases. */

const VERBS: ReadonlySet<string> = new Set(
  (
    'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick clean clone ' +
    'commit commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref ' +
    'format-patch fsck gc grep hash-object help init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge ' +
    'merge-base merge-file merge-tree mv name-rev notes pack-objects prune pull push range-diff read-tree rebase reflog remote ' +
    'repack replace rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash ' +
    'status submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version whatchanged worktree'
  ).split(' '),
)

/** Keys whose value git does not run. */
const HARMLESS_KEY = new RegExp(
  `^(?:${[
    String.raw`(?:user|author|committer|advice|color|column|log|status|rerere|pull|push|fetch|i18n|https?|pack)\..*|gc\.(?!recentobjectshook).*`,
    String.raw`core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|longpaths|symlinks|safecrlf|whitespace|abbrev|excludesfile)`,
    String.raw`init\.defaultbranch|safe\.directory|commit\.(?:gpgsign|verbose)|tag\.(?:gpgsign|sort)|merge\.(?:ff|conflictstyle)`,
    String.raw`rebase\.auto\w+|diff\.(?:renames|algorithm|colormoved|noprefix|mnemonicprefix)|submodule\.recurse|lfs\.url`,
    String.raw`(?:branch|remote)\..*\.(?:remote|merge|rebase|url|pushurl|fetch)|url\..*\.(?:push)?insteadof`,
  ].join('|')})$`,
  'is',
)
/** Settings that name a program which does nothing, or only shows. */
const HARMLESS_SETTING = /^core\.(?:pager=(?:cat|less)?|editor=(?:true|:)|hookspath=\/dev\/null)$/i

/** Options of a subcommand by which it runs a program. */
const OPTIONS: readonly (readonly [subcommands: RegExp, option: RegExp])[] = [
  [/^(clone|init|submodule)$/, /^--te[a-z]*(=.|$)/s],
  [/^(clone|fetch|pull|ls-remote)$/, /^--(u(p[a-z-]*)?(=|$)|exe)/],
  [/^clone$/, /^-[A-Za-z]*[uc]|^--co/],
  [/^push$/, /^--(rec|ex)/],
  [/^archive$/, /^--ex/],
  [/^rebase$/, /^-[A-Za-z]*x|^--ex/],
  [/^grep$/, /^-[A-Za-z]*O|^--op/],
  [/^bisect$/, /^run$/],
  [/^submodule$/, /^foreach$/],
]
const TAKES_VALUE = /^(-[cC]|--(git-dir|work-tree|namespace|super-prefix|attr-source))$/

/** True if git, with these words after its name, runs or will run what it is not known to. */
export function gitRuns(words: readonly string[]): boolean {
  let at = 0
  while (words[at]?.startsWith('-')) at += TAKES_VALUE.test(words[at] ?? '') ? 2 : 1
  const [verb, ...behind] = words.slice(at)
  const isSet = words.slice(0, at).some((word, place) => setsOption(word, words[place + 1] ?? ''))
  if (isSet || words.some(word => /ext::/.test(word))) return true
  if (verb === undefined || (verb === 'config' && !setsUnknown(behind))) return false
  return !VERBS.has(verb) || verb === 'config' || takesProgram(verb, behind)
}

function setsOption(word: string, next: string): boolean {
  const setting = word === '-c' ? next : /^-c(.+)$/s.exec(word)?.[1]
  return /^--(config-env|exec-path=)/.test(word) || (setting !== undefined && !isHarmless(setting))
}

function takesProgram(verb: string, words: readonly string[]): boolean {
  return OPTIONS.some(([verbs, option]) => verbs.test(verb) && words.some(word => option.test(word)))
}

function isHarmless(setting: string): boolean {
  return HARMLESS_SETTING.test(setting) || HARMLESS_KEY.test(setting.split('=', 1)[0] ?? '')
}

const READS = /^(--(get|list|unset|remove-s).*|-l|get|list|unset|remove-section)$/
const CONFIG_VALUE = /^(-f|--(file|blob|type|default|comment|value|url))$/

/** `git config KEY VALUE` and `git config set KEY VALUE`, where it is not known that git never runs the value. */
function setsUnknown(words: readonly string[]): boolean {
  const operands = words.filter((word, at) => !word.startsWith('-') && !CONFIG_VALUE.test(words[at - 1] ?? ''))
  const first = words.findIndex(word => !word.startsWith('-'))
  const options = first < 0 ? words : words.slice(0, first)
  if (options.some(word => READS.test(word)) || READS.test(operands[0] ?? '')) return false
  const [key = '', value] = operands[0] === 'set' ? operands.slice(1) : operands
  return value !== undefined && !isHarmless(`${key}=${value}`)
}
