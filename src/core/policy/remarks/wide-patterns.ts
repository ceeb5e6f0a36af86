import type { KnownTools, PolicyLine, PolicyRemark } from './remark.ts'
import { toolsOf } from './unknown-tools.ts'

const COMMANDS = 'run_command'

/** A line that permits more than it seems to; `null` if it does not. */
export function widePattern(line: PolicyLine, known: KnownTools): PolicyRemark | null {
  if (line.verdict !== 'auto') return null
  const example = line.match === null ? null : permittedBy(line, known)
  if (example !== null)
    return {
      ...{ code: 'passes_more', place: line.place },
      message: `The pattern ${JSON.stringify(line.match?.['command'])} also permits ${JSON.stringify(example)}.`,
      hint: 'Write the words that may stand there, one rule for each.',
      example,
    }
  return line.match === null ? wideName(line, known) : null
}

/** A command that people hardly mean to permit; `null` if none is known. */
function permittedBy(line: PolicyLine, known: KnownTools): string | null {
  const pattern = line.match?.['command']
  const isOfCommands = toolsOf(line, known).some(({ name, sameAs }) => name === COMMANDS || sameAs === COMMANDS)
  if (pattern === undefined || !isOfCommands || Object.keys(line.match ?? {}).length > 1) return null
  return startsWide(pattern) ?? starWithin(pattern) ?? ofProgram(pattern)
}

/** `git*` and `*`: the star is part of the name of the program. */
function startsWide(pattern: string): string | null {
  const [program = ''] = pattern.split(' ', 1)
  if (!program.includes('*') || program.includes('/')) return null
  return pattern.replace(program, program === '*' ? 'shred' : program.replaceAll('*', '-x')).replaceAll('*', 'x')
}

/** `gh * list*`: a star matches any number of words, options among them. In a path it matches one word. */
function starWithin(pattern: string): string | null {
  const words = pattern.split(' ')
  const at = words.findIndex((word, index) => isOpen(word) && isFollowed(words, index))
  if (at <= 0) return null
  const filled = words.map((word, index) => word.replace('*', index === at ? 'delete --all ' : '').replaceAll('*', ''))
  return filled.join(' ').replaceAll(/ +/g, ' ').trim()
}

function isOpen(word: string): boolean {
  return word.includes('*') && !word.includes('/')
}

function isFollowed(words: readonly string[], at: number): boolean {
  const behind = (words[at] ?? '').replace(/^[^*]*\*/, '')
  return [behind, ...words.slice(at + 1)].some(text => /[^*]/.test(text))
}

/** Programs of which one subcommand or option does what the others do not, as in `find . -delete`. */
const SURPRISES: ReadonlyMap<string, string> = new Map(
  [
    'find . -delete',
    'sed -i s/a/b/ package.json',
    'git push --force',
    'curl -X DELETE https://example.com/all',
    'docker system prune --all --force',
    'kubectl delete namespace production',
    'gh repo delete --yes',
    'npm publish',
    'pnpm publish',
    'cargo publish',
    'terraform destroy -auto-approve',
    'sort -o package.json package.json',
    'tar --extract --file x.tar --directory /',
    'rsync --archive --delete a/ b/',
  ].map(example => [example.split(' ', 1)[0] ?? '', example] as const),
)

function ofProgram(pattern: string): string | null {
  const [, program = ''] = /^(\S+) ?\*+$/.exec(pattern) ?? []
  return SURPRISES.get(program) ?? null
}

/** `r*` permits run_command as well as read_file. An author who writes `*` means it. */
function wideName(line: PolicyLine, known: KnownTools): PolicyRemark | null {
  if (!line.tool.includes('*') || line.tool === '*') return null
  const tools = toolsOf(line, known).filter(({ destructive }) => destructive)
  if (tools.length === 0 || known.prefixes.some(prefix => line.tool.startsWith(prefix))) return null
  return {
    ...{ code: 'passes_more', place: line.place },
    message: `${JSON.stringify(line.tool)} also permits ${tools.map(({ name }) => name).join(', ')}.`,
    hint: 'Name the tools that are meant, one by one.',
  }
}
