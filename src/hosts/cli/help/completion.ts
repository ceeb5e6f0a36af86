/** The scripts by which shells complete: each asks `holdpoint __complete` with the words so far. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import type { Command, CommandContext } from '../../command/command.ts'
import type { IdKind, KnownId } from '../../compose/known-ids.ts'
import { agentNames } from '../../project/agent-files.ts'
import { readConfig } from '../../project/project.ts'
import { projectRoot } from '../../project/project-root.ts'
import { storeUrl } from '../../project/store-url.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { onlyWord } from '../open-for-reading.ts'
import { type Completion, complete, type Sources } from './complete.ts'

export async function run({ given, io }: CommandContext): Promise<number> {
  const shell = onlyWord(given.words, 'completion bash|zsh|fish')
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (!script) throw argumentRefusals.unknownShell(shell)
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

interface Asked {
  readonly words: readonly string[]
  readonly commands: readonly Command[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

/** A line for each candidate: its text, a tab, what it is. `:files` or `:directories` asks the shell for its own. Empty on any failure. */
export async function completionAnswer({ words, commands, env, directory }: Asked): Promise<string> {
  const site = { words: joined(words), env, directory }
  const sources: Sources = {
    commands,
    ids: (kinds, beginning) => idsOf(site, kinds, beginning).catch(() => []),
    agents: async () => agentNames({ root: projectRoot(directory), env }),
    models: () => modelsOf(site).catch(() => MODELS),
  }
  return linesOf(await complete(site.words, sources))
}

/** bash takes `--flag=value` for three words. */
function joined(words: readonly string[]): string[] {
  const [previous = '', last = ''] = words.slice(-2)
  if (last === '=' && previous.startsWith('--')) return [...words.slice(0, -2), previous, '']
  return words.at(-2) === '=' ? [...words.slice(0, -2), last] : [...words]
}

function linesOf({ candidates, files }: Completion): string {
  const lines = candidates.map(({ text, about }) => `${visibleLine(text)}\t${visibleLine(about)}`)
  return [...lines, ...(files === 'none' ? [] : [`:${files}`])].map(line => `${line}\n`).join('')
}

type Site = Omit<Asked, 'commands'>

async function idsOf(site: Site, kinds: readonly IdKind[], beginning: string): Promise<KnownId[]> {
  const { words, env, directory } = site
  const url = serverIn(site)
  if (url !== null)
    return (await import('../../remote/remote-ids.ts')).remoteIds({ url, env, directory }, kinds, beginning)
  const config = await readConfig(directory, env)
  const { file } = new StoreLocation(storeUrl(valueIn(words, 'store'), env, config))
  if (file === null || !existsSync(resolve(directory, file))) return []
  const { knownIds } = await import('../../compose/known-ids.ts')
  return knownIds(resolve(directory, file), kinds, beginning)
}

/** `--store` names a store although the environment names a server. */
function serverIn({ words, env }: Site): string | null {
  const server = valueIn(words, 'server') ?? (valueIn(words, 'store') === null ? env['HOLDPOINT_SERVER'] : null)
  return server?.trim() || null
}

function valueIn(words: readonly string[], flag: string): string | null {
  const at = words.indexOf(`--${flag}`)
  return (
    (at < 0 ? null : words[at + 1]) ?? words.find(word => word.startsWith(`--${flag}=`))?.slice(flag.length + 3) ?? null
  )
}

/** The providers: their models have names that only they know. */
const MODELS: readonly string[] = [
  ...['anthropic/', 'google/', 'openai/', 'openai-chat/', 'openai-compatible/', 'openai-responses/', 'script:'],
]

async function modelsOf({ env, directory }: Site): Promise<readonly string[]> {
  const { model } = await readConfig(directory, env)
  const usual = [env['HOLDPOINT_MODEL'], model].flatMap(name => name || [])
  return [...new Set([...usual, ...MODELS])]
}
