/**
 * The candidates for the end of a command line that is being typed. They are told to a shell, so it never fails, makes
 * nothing, and reads only what the word can be about.
 */
import type { Command } from '../../command/command.ts'
import { type Flag, HELP_FLAG, OUTPUT_FLAG, RUN_FLAGS } from '../../command/flags.ts'
import type { IdKind, KnownId } from '../../compose/known-ids.ts'
import { COMMAND_WORDS, FLAG_VALUES, VALUES_BY_NAME, type Values } from './completed-values.ts'

export interface Candidate {
  readonly text: string
  readonly about: string
}

/** The candidates; `files` says that the shell is to add files or directories. */
export interface Completion {
  readonly candidates: readonly Candidate[]
  readonly files: 'none' | 'files' | 'directories'
}

/** Where candidates come from that are not in the tables of commands. */
export interface Sources {
  readonly commands: readonly Command[]
  readonly ids: (kinds: readonly IdKind[], beginning: string) => Promise<readonly KnownId[]>
  readonly agents: () => Promise<readonly string[]>
  readonly models: () => Promise<readonly string[]>
}

const NOTHING: Completion = { candidates: [], files: 'none' }

/** `words` are those behind the name of the program; the last one is being typed, and may be empty. */
export async function complete(words: readonly string[], sources: Sources): Promise<Completion> {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  if (before.includes('--')) return NOTHING
  const command = sources.commands.find(({ name }) => name === before[0])
  const flags = command ? [...command.flags, OUTPUT_FLAG, HELP_FLAG] : RUN_FLAGS
  const glued = /^(--[\w-]+=)(.*)$/s.exec(current)
  if (glued) {
    const [, start = '', value = ''] = glued
    const found = await valuesOf(flagNamed(flags, start.slice(0, -1)), { command, current: value, sources })
    const fitting = found.candidates.filter(({ text }) => text.startsWith(value))
    return { candidates: fitting.map(each => ({ ...each, text: `${start}${each.text}` })), files: 'none' }
  }
  const asked = flagNamed(flags, before.at(-1) ?? '')
  const completion = asked?.value
    ? await valuesOf(asked, { command, current, sources })
    : current.startsWith('-')
      ? flagsLeft(flags, before)
      : await wordsOf(command, { before, current, sources })
  return { ...completion, candidates: completion.candidates.filter(({ text }) => text.startsWith(current)) }
}

function flagNamed(flags: readonly Flag[], written: string): Flag | undefined {
  return flags.find(({ name, short }) => written === `--${name}` || (short !== undefined && written === `-${short}`))
}

/** A flag that may be given once is not offered again. */
function flagsLeft(flags: readonly Flag[], before: readonly string[]): Completion {
  const left = flags.filter(flag => flag.multiple || !before.some(word => flagNamed([flag], word)))
  return { candidates: left.map(({ name, help }) => ({ text: `--${name}`, about: help })), files: 'none' }
}

interface Place {
  readonly command: Command | undefined
  readonly current: string
  readonly sources: Sources
}

async function valuesOf(flag: Flag | undefined, place: Place): Promise<Completion> {
  if (flag?.value === undefined) return NOTHING
  const values = VALUES_BY_NAME[`${place.command?.name ?? ''} ${flag.name}`] ?? VALUES_BY_NAME[flag.name]
  return candidatesOf(values ?? FLAG_VALUES[flag.value.split('=')[0] ?? ''] ?? {}, place)
}

async function candidatesOf(
  { words = [], ids = [], agents, models, files = 'none' }: Values,
  { current, sources }: Place,
): Promise<Completion> {
  const known = ids.length === 0 ? [] : await sources.ids(ids, current)
  const names = [...words, ...(agents ? await sources.agents() : []), ...(models ? await sources.models() : [])]
  const candidates = [
    ...names.map(text => ({ text, about: '' })),
    ...known.map(({ id, about }) => ({ text: id, about })),
  ]
  return { candidates, files }
}

/** Beside the commands, at the beginning and behind `help`. */
const TOPICS: Readonly<Record<string, Candidate>> = {
  '': { text: 'help', about: 'all about a command' },
  help: { text: 'run', about: 'the options of a run' },
}

/** A word that is no flag: a command, a word of a command, or what the command is about. */
async function wordsOf(
  command: Command | undefined,
  { before, current, sources }: { before: readonly string[]; current: string; sources: Sources },
): Promise<Completion> {
  const commands = sources.commands.map(({ name, summary }) => ({ text: name, about: summary }))
  const topic = TOPICS[before.join(' ')]
  if (topic) return { candidates: [...commands, topic], files: 'none' }
  if (!command) return current === '' ? flagsLeft(RUN_FLAGS, before) : NOTHING
  const place = { command, current, sources }
  const verb = command.words?.find(word => word === before[1])
  if (verb !== undefined) return candidatesOf(COMMAND_WORDS[`${command.name} ${verb}`] ?? {}, place)
  const { candidates, files } = await candidatesOf(COMMAND_WORDS[command.name] ?? {}, place)
  const words = before.length === 1 ? (command.words ?? []) : []
  return { candidates: [...words.map(text => ({ text, about: '' })), ...candidates], files }
}
