import type { Command, SyntaxNode } from 'unbash'
import { programName } from './command-wrappers.ts'
import type { ShellParser } from './read-script.ts'
import { placeOf, type SearchPlace, searchesRecords } from './search-programs.ts'
import { isFlag, isNumber, takesNextWord } from './words/flag-words.ts'
import { HARMLESS_AWK, HARMLESS_SED } from './words/little-languages.ts'
import { type ReadWord, readWord } from './words/read-word.ts'
import { holdsTooManySubstitutions } from './words/substitutions.ts'

const MAY_SEARCH = /find|grep|\b(rg|ag|fd|ls)\b/
/** No command that a person could judge has more. */
const MOST_SEARCHES = 20

interface Place {
  readonly node: SyntaxNode
  readonly above: Place | null
}

interface Search {
  readonly words: readonly ReadWord[]
  readonly place: Place
}

/**
 * The program by which shell text may change what lies below `.holdpoint/` without its name: a search comes by it, and
 * what is found goes to a program that does more than read. `null` if none is seen. Never throws.
 */
export function searchThatReaches(parser: ShellParser, text: string, workdir: string): string | null {
  if (!MAY_SEARCH.test(text)) return null
  if (holdsTooManySubstitutions(text)) return text
  try {
    const root = { node: parser.parse(text), above: null }
    const searches = searchesIn(parser, root, placeOf(text, workdir))
    const found = searches.find((search, at) => at >= MOST_SEARCHES || acts(search) || flows(parser, search, root))
    return found ? found.words.map(word => word.text).join(' ') : null
  } catch {
    return null
  }
}

function searchesIn(parser: ShellParser, root: Place, at: SearchPlace): Search[] {
  return commandsIn(parser, root).flatMap(place => {
    const words = stripped(wordsOf(place.node as Command))
    return searchesRecords(words, at) ? { words, place } : []
  })
}

function commandsIn(parser: ShellParser, root: Place): Place[] {
  return nodesIn(parser, root, 'Command')
}

function nodesIn(parser: ShellParser, root: Place, type: SyntaxNode['type']): Place[] {
  const found: Place[] = []
  const open = [root]
  for (let next = open.pop(); next; next = open.pop()) {
    const above = next
    if (next.node.type === type) found.push(next)
    parser.forEachChild(next.node, node => void open.push({ node, above }))
  }
  return found
}

function wordsOf({ name, args }: Command): ReadWord[] {
  return name ? [name, ...args].map(readWord) : []
}

/** They run their words and add none. */
const AROUND = /^(sudo|doas|env|nice|ionice|time|timeout|nohup|command|builtin|exec|stdbuf|chronic|busybox)$/

/** The command behind such wrappers, their options and their settings. */
function stripped(words: readonly ReadWord[]): readonly ReadWord[] {
  let at = 0
  while (AROUND.test(programName(words[at]?.text ?? ''))) {
    at++
    while (isOwn(words[at]?.text) || takesNextWord(words[at - 1]?.text ?? '')) at++
  }
  return words.slice(at)
}

function isOwn(text: string | undefined): boolean {
  return text !== undefined && (isFlag(text) || /^\w+=/.test(text) || isNumber(text) || text === '--')
}

const EXECUTES = /^(-(exec|execdir|ok|okdir)|-[xX]|--exec(-batch)?)$/

/** `find -exec`, `find -delete`, `fd -x`. */
function acts({ words }: Search): boolean {
  return words.some(({ text }, at) => text === '-delete' || (EXECUTES.test(text) && !onlyReads(words.slice(at + 1))))
}

const READS =
  /^([efz]?grep|rg|ag|cat|bat|head|tail|wc|ls|stat|file|echo|printf|test|\[|basename|dirname|realpath|readlink|(md5|sha\d+|b2|ck)sum|du|diff|cmp|sort|uniq|cut|tr|nl|od|xxd|hexdump|strings|jq|true|false|:|read|local|declare|export|return|exit|cd|continue|break|shift|set|column|comm|paste|fold|rev|tac)$/
const GIT_WRITES = /^(--output|-O|--open|--ext-diff|--textconv)/
const GIT_READS = /^(log|diff|blame|grep|show|status|check-ignore|ls-files)$/

/** True if a program plainly does nothing to the files that its words name. */
function onlyReads(words: readonly ReadWord[]): boolean {
  const [program, ...rest] = stripped(words)
  const name = programName(program?.text ?? '')
  const end = rest.findIndex(({ text }) => text === ';' || text === '+')
  const operands = (end < 0 ? rest : rest.slice(0, end)).map(({ text }) => text)
  const unless = READS_UNLESS.find(([programs]) => programs.test(name))
  return unless ? unless[1](operands) : READS.test(name)
}

const READS_UNLESS: readonly (readonly [program: RegExp, onlyReads: (operands: readonly string[]) => boolean])[] = [
  [/^g?sed$/, all => HARMLESS_SED.test(all.join('\n')) && !all.some(each => /^-\w*i/.test(each))],
  [/awk$/, all => HARMLESS_AWK.test(all.join('\n'))],
  [/^git$/, ([first = '', ...rest]) => GIT_READS.test(first) && !rest.some(each => GIT_WRITES.test(each))],
  [/^(rg|ag|bat)$/, all => !all.some(each => /^--(pre|hostname-bin|pager)/.test(each))],
  // Behind what they read stands what they write.
  [/^(uniq|xxd)$/, all => all.filter(each => !each.startsWith('-')).join() === '{}' && !all.includes('-r')],
  [/^cp$/, all => all.length > 1 && all.includes('{}') && all.at(-1) !== '{}'],
  [/^sort$/, all => !all.some(each => /^-\w*o|^--o/.test(each))],
]

/** What is found goes down a pipe, or by a substitution to anywhere in the text. */
function flows(parser: ShellParser, { place }: Search, root: Place): boolean {
  for (let below = place, above = place.above; above; below = above, above = above.above) {
    const { type } = above.node
    if (type === 'CommandExpansion' || type === 'ProcessSubstitution') return changes(parser, root)
    const behind = piped(above.node, below.node)
    if (behind.some(isCount)) return false
    if (behind.some(node => changes(parser, { node, above: null }))) return true
  }
  return false
}

/** What stands behind a part of a pipe. */
function piped(pipe: SyntaxNode, part: SyntaxNode): readonly SyntaxNode[] {
  if (pipe.type !== 'Pipeline') return []
  const nodes: readonly SyntaxNode[] = pipe.commands
  return nodes.slice(nodes.indexOf(part) + 1)
}

/** It hands on a number, or whether there is any. */
function isCount(node: SyntaxNode): boolean {
  if (node.type !== 'Command') return false
  const [program, ...rest] = wordsOf(node).map(({ text }) => text)
  return program === 'wc' || (program === 'grep' && rest.some(word => /^-\w*[cq]/.test(word)))
}

function changes(parser: ShellParser, root: Place): boolean {
  const isWritten = nodesIn(parser, root, 'Redirect').some(
    ({ node }) => node.type === 'Redirect' && writesUnknown(node),
  )
  return isWritten || commandsIn(parser, root).some(({ node }) => mayChange(wordsOf(node as Command)))
}

/** `> "$f"`; of `> "/tmp/$f"` it is known where it is. */
function writesUnknown({ operator, target }: Extract<SyntaxNode, { type: 'Redirect' }>): boolean {
  const { pieces } = target ? readWord(target) : { pieces: [] }
  return operator.includes('>') && pieces.length > 1 && pieces[0] === ''
}

const FEEDER = /^(g?xargs|parallel|env_parallel|sem|rush)$/
const FEEDER_TAKES_VALUE =
  /^-[adEeIiLlnPsj]$|^--(arg-file|delimiter|replace|max-args|max-procs|max-lines|max-chars|jobs)$/

/** It gets words from elsewhere, and does more than read. */
function mayChange(words: readonly ReadWord[]): boolean {
  const command = stripped(words)
  if (!FEEDER.test(programName(command[0]?.text ?? '')))
    return command.slice(1).some(word => word.pieces.length > 1) && !onlyReads(command)
  let at = 1
  while (isFlag(command[at]?.text ?? '')) at += FEEDER_TAKES_VALUE.test(command[at]?.text ?? '') ? 2 : 1
  return at < command.length && !onlyReads(command.slice(at))
}
