import { type CommandReading, type Coverage, coverageOf, type WordPieces } from './match-command.ts'

/**
 * How surely a restrictive pattern covers a command, however and in whatever order its options are spelled: `rm -rf *`
 * covers `rm x --force -R`, and `curl -X POST*` covers `curl https://… --request=POST`.
 */
export function coverageOfCommand(pattern: string, command: CommandReading): Coverage {
  return [coverageOf(pattern, command), ...readings(pattern).map(each => coverageApart(each, command))].reduce(surer)
}

/** A pattern taken apart: what remains without the options that it names. */
interface ApartPattern {
  readonly rest: string
  readonly options: readonly WantedOption[]
}

interface WantedOption {
  readonly name: string
  /** A pattern of the word after it, if that is its value. */
  readonly value: string | null
}

const OPTION = /^\*?(--?[A-Za-z].*)$/s

/** Both readings of a pattern: the word after an option may be its value, or not. */
function readings(pattern: string): ApartPattern[] {
  const words = pattern.split(' ')
  const hasOptions = words.some((_, at) => optionAt(words, at) !== null)
  return hasOptions ? [apart(words, () => null), apart(words, valueBehind)] : []
}

function optionAt(words: readonly string[], at: number): string | null {
  return at === 0 ? null : (OPTION.exec(words[at] ?? '')?.[1] ?? null)
}

type ValueAt = (words: readonly string[], at: number) => string | null

const valueBehind: ValueAt = (words, at) => {
  const next = words[at + 1] ?? '*'
  return next === '*' || optionAt(words, at + 1) !== null ? null : next
}

function apart(words: readonly string[], valueAt: ValueAt): ApartPattern {
  const options = words.flatMap((_, at): WantedOption[] => {
    const name = optionAt(words, at)
    if (name === null) return []
    const value = valueAt(words, at)
    return [{ name: value === null ? name.replace(/\*$/, '') : name, value }]
  })
  const isTaken = (at: number) => optionAt(words, at) !== null
  const isValue = (at: number) => at > 0 && isTaken(at - 1) && valueAt(words, at - 1) !== null
  const rest = words.filter((_, at) => !isTaken(at) && !isValue(at))
  // A star in a word that was taken away matches more operands, too.
  const isOpen = words.some((word, at) => (isTaken(at) || isValue(at)) && /^\*|\*$/.test(word))
  return { rest: (isOpen && rest.at(-1) !== '*' ? [...rest, '*'] : rest).join(' '), options }
}

function coverageApart({ rest, options }: ApartPattern, command: CommandReading): Coverage {
  const coverages = options.map(option => (hasOption(option, command) ? 'surely' : mayHaveOption(command)))
  return [coverageOf(rest, command), ...coverages].reduce(lessSure)
}

/** A word that is unknown may be any option. */
function mayHaveOption({ words }: CommandReading): Coverage {
  return words.some(([start = '', ...more], at) => at > 0 && more.length > 0 && /^(-|$)/.test(start)) ? 'perhaps' : 'no'
}

function hasOption({ name, value }: WantedOption, { words }: CommandReading): boolean {
  const program = words[0]?.[0] ?? ''
  const wanted = spelled(program, name)
  const isGiven = (each: string, word: WordPieces) =>
    given(program, word).includes(each) || isBegun({ program, name, each }, word)
  if (value === null) return wanted.every(each => words.slice(1).some(word => isGiven(each, word)))
  return words.some((word, at) => {
    const isNamed = at > 0 && wanted.every(each => isGiven(each, word))
    const values = isNamed ? [...gluedTo(word, name), ...(words[at + 1] ? [words[at + 1] as WordPieces] : [])] : []
    return values.some(each => coverageOf(value, { words: [each], doubt: null }) === 'surely')
  })
}

/** Most programs take a clear beginning of a long option for the option: `--forc`. */
function isBegun(
  option: { readonly program: string; readonly name: string; readonly each: string },
  [start = '']: WordPieces,
): boolean {
  const begin = start.replace(/=.*$/s, '')
  if (!/^--[\w-]{2,}$/.test(begin)) return false
  const alike = [...(SPELLINGS.get(option.program) ?? [])].flatMap(([name, one]) => (one === option.each ? name : []))
  return [option.name, ...alike].some(name => name.startsWith(begin))
}

function gluedTo([start = '', ...rest]: WordPieces, name: string): WordPieces[] {
  const equals = start.indexOf('=')
  if (equals > 0) return [[start.slice(equals + 1), ...rest]]
  const at = name.length === 2 ? start.indexOf(name.charAt(1), 1) : -1
  return at > 0 && !start.startsWith('--') ? [[start.slice(at + 1), ...rest]] : []
}

/** The options of a word: the letters of `-rf`, and the name of `--request=POST`, in one spelling each. */
function given(program: string, [start = '']: WordPieces): string[] {
  return start.startsWith('--') ? spelled(program, start.replace(/=.*$/s, '')) : spelled(program, start)
}

function spelled(program: string, option: string): string[] {
  const letters = /^-[A-Za-z]/.test(option) ? [...option.slice(1)].map(letter => `-${letter}`) : [option]
  const same = SPELLINGS.get(program)
  return option.startsWith('-') ? letters.map(each => same?.get(each) ?? each) : []
}

// biome-ignore format: the table is the documentation
const SPELLED_ALIKE: Readonly<Record<string, string>> = {
  'rm cp chmod chown ls grep':  '-r=-R=--recursive -f=--force -i=--interactive -d=--dir',
  git:                          '-f=--force -d=--delete -a=--all -u=--set-upstream -q=--quiet -v=--verbose -i=--interactive',
  curl:                         '-X=--request -d=--data=--data-raw=--data-binary=--data-ascii -F=--form -T=--upload-file -o=--output -O=--remote-name -k=--insecure -u=--user -H=--header -x=--proxy -K=--config -b=--cookie',
  wget:                         '-O=--output-document -P=--directory-prefix -i=--input-file -r=--recursive',
  'npm pnpm yarn':              '-g=--global -f=--force -D=--save-dev -w=--workspace',
  'docker podman':              '-v=--volume -p=--publish -e=--env -u=--user -f=--force -i=--interactive -t=--tty -d=--detach',
  'kubectl oc helm':            '-n=--namespace -f=--filename -l=--selector -A=--all-namespaces',
  tar:                          '-x=--extract=--get -c=--create -f=--file -C=--directory -P=--absolute-names',
  'make gmake':                 '-C=--directory -f=--file=--makefile -B=--always-make',
  'sed gsed':                   '-i=--in-place -e=--expression -n=--quiet',
}

/** Each spelling of an option by program, with the one that represents all. */
const SPELLINGS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(SPELLED_ALIKE).flatMap(([programs, groups]) => {
    const same = new Map(
      groups.split(' ').flatMap(group => group.split('=').map(each => [each, group.split('=')[0] ?? each] as const)),
    )
    return programs.split(' ').map(program => [program, same] as const)
  }),
)

const ORDER: readonly Coverage[] = ['no', 'perhaps', 'surely']

function surer(one: Coverage, other: Coverage): Coverage {
  return ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other
}

function lessSure(one: Coverage, other: Coverage): Coverage {
  return ORDER.indexOf(one) < ORDER.indexOf(other) ? one : other
}
