/** The scripts by which shells complete: each asks `holdpoint __complete` with the words so far. */
import { RefusedError } from '../../../core/errors.ts'
import type { CommandContext } from '../../command/command.ts'
import { onlyWord } from '../open-for-reading.ts'

export async function run({ given, io }: CommandContext): Promise<number> {
  const shell = onlyWord(given.words, 'completion bash|zsh|fish')
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (!script)
    throw new RefusedError('invalid_arguments', `There is no completion for ${JSON.stringify(shell)}.`, {
      hint: 'Use bash, zsh or fish.',
    })
  io.out(script)
  return 0
}

const BASH = `# holdpoint completion for bash: source <(holdpoint completion bash)
_holdpoint() {
  local current="\${COMP_WORDS[COMP_CWORD]}" text about files=
  local IFS=$'\\n'
  [ "$current" = "=" ] && current=
  COMPREPLY=()
  while IFS=$'\\t' read -r text about; do
    case "$text" in
      :files) files=-f ;;
      :directories) files=-d ;;
      *) COMPREPLY+=("$text") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen $files -- "$current"))
  fi
  case "\${COMPREPLY[0]}" in
    */|script:) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _holdpoint holdpoint
`

const ZSH = `#compdef holdpoint
# holdpoint completion for zsh: source <(holdpoint completion zsh)
_holdpoint() {
  local -a options values beginnings
  local line text about files=
  while IFS= read -r line; do
    text="\${line%%$'\\t'*}"
    about="\${line#*$'\\t'}"
    case "$text" in
      :files) files=_files ;;
      :directories) files='_files -/' ;;
      -*) options+=("\${text//:/\\\\:}:$about") ;;
      */|script:) beginnings+=("\${text//:/\\\\:}:$about") ;;
      *) values+=("\${text//:/\\\\:}:$about") ;;
    esac
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#options} )) && _describe -o option options
  (( \${#values} )) && _describe -t values value values
  (( \${#beginnings} )) && _describe -t values value beginnings -S ''
  [[ -n "$files" ]] && eval "$files"
}
compdef _holdpoint holdpoint
`

const FISH = `# holdpoint completion for fish: holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish
function __holdpoint_complete
    set -l words (commandline -opc)
    for line in ($words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':directories'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c holdpoint -f -a '(__holdpoint_complete)'
`

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
