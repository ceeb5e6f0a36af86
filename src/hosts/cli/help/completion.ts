import { RefusedError } from '../../../core/errors.ts'
import type { Command, CommandContext } from '../../command/command.ts'
import { type Flag, HELP_FLAG, RUN_FLAGS } from '../../command/flags.ts'
import { shellWord } from '../../process/shell-word.ts'
import { onlyWord } from '../open-for-reading.ts'

type Commands = readonly Command[]

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish }

export async function run({ given, io, commands }: CommandContext): Promise<number> {
  const shell = onlyWord(given.words, 'completion bash|zsh|fish')
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (!script)
    throw new RefusedError('invalid_arguments', `There is no completion for ${JSON.stringify(shell)}.`, {
      hint: 'Use bash, zsh or fish.',
    })
  io.out(script(commands))
  return 0
}

function words(flags: readonly Flag[]): string {
  return [...flags, HELP_FLAG].flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]).join(' ')
}

/** Values that name a file are completed as files. */
const FILE_FLAGS: readonly string[] = RUN_FLAGS.filter(({ value }) => value === 'FILE' || value === 'DIR').map(
  ({ name }) => `--${name}`,
)

function bash(commands: Commands): string {
  const cases = commands.map(
    ({ name, flags, words: more = [] }) => `    ${name}) words=${shellWord([...more, words(flags)].join(' '))} ;;`,
  )
  return `# holdpoint completion for bash: source <(holdpoint completion bash)
_holdpoint() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words
  case "$previous" in
    ${[...FILE_FLAGS, '-w'].join('|')})
      local IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current"))
      return
      ;;
    -o|--output) COMPREPLY=($(compgen -W 'text json stream-json' -- "$current")); return ;;
    --pause-on) COMPREPLY=($(compgen -W 'approval input question' -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *)
      words=${shellWord(words(RUN_FLAGS))}
      [ "$COMP_CWORD" -eq 1 ] && words="$words ${commands.map(({ name }) => name).join(' ')}"
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _holdpoint holdpoint
`
}

function zsh(commands: Commands): string {
  const described = commands.map(({ name, summary }) => `    ${shellWord(`${name}:${summary}`)}`)
  const cases = commands.map(
    ({ name, flags, words: more = [] }) => `    ${name}) compadd -- ${[...more, words(flags)].join(' ')} ;;`,
  )
  return `#compdef holdpoint
# holdpoint completion for zsh: source <(holdpoint completion zsh)
_holdpoint() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  case "$words[CURRENT-1]" in
    ${[...FILE_FLAGS, '-w'].join('|')}) _files; return ;;
    -o|--output) compadd -- text json stream-json; return ;;
    --pause-on) compadd -- approval input question; return ;;
  esac
  if (( CURRENT == 2 )); then
    _describe command commands
  fi
  case "$words[2]" in
${cases.join('\n')}
    *) compadd -- ${words(RUN_FLAGS)} ;;
  esac
}
compdef _holdpoint holdpoint
`
}

function fish(commands: Commands): string {
  const names = commands.map(({ name }) => name).join(' ')
  const none = `not __fish_seen_subcommand_from ${names}`
  const lines = commands.flatMap(({ name, summary, flags, words: more = [] }) => [
    `complete -c holdpoint -n ${shellWord(none)} -f -a ${name} -d ${shellWord(summary)}`,
    ...more.map(word => `complete -c holdpoint -n ${shellWord(`__fish_seen_subcommand_from ${name}`)} -f -a ${word}`),
    ...[...flags, HELP_FLAG].map(flag => fishFlag(flag, `__fish_seen_subcommand_from ${name}`)),
  ])
  return `# holdpoint completion for fish\n${[...lines, ...RUN_FLAGS.map(flag => fishFlag(flag, none))].join('\n')}\n`
}

function fishFlag({ name, short, value, help }: Flag, condition: string): string {
  const taken = value === undefined ? '' : value === 'FILE' || value === 'DIR' ? ' -r -F' : ' -x'
  return `complete -c holdpoint -n ${shellWord(condition)} -l ${name}${short ? ` -s ${short}` : ''}${taken} -d ${shellWord(help)}`
}
