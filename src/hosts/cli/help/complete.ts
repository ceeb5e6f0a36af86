/**
 * The candidates for the end of a command line that is being typed. A shell reads them, so this never fails, makes
 * nothing, and reads only what the word can be about.
 */
import type { Command } from '../../command/command.ts'
import { type Flag, HELP_FLAG, OUTPUT_FLAG, RUN_FLAGS } from '../../command/flags.ts'
import type { IdKind, KnownId } from '../../compose/known-ids.ts'

interface Candidate {
  readonly text: string
  readonly about: string
}

/** The candidates; `files` asks the shell to add files or directories. */
export interface Completion {
  readonly candidates: readonly Candidate[]
  readonly files: 'none' | 'files' | 'directories'
}

/** The sources of candidates that are not in the tables of commands. */
export interface Sources {
  readonly commands: readonly Command[]
  readonly ids: (kinds: readonly IdKind[], beginning: string) => Promise<readonly KnownId[]>
  readonly agents: () => Promise<readonly string[]>
  readonly models: () => Promise<readonly string[]>
}

const NOTHING: Completion = { candidates: [], files: 'none' }

/** `words` follow the name of the program; the last one is being typed, and may be empty. */
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
  const byName = VALUES_BY_NAME[`${place.command?.name ?? ''} ${flag.name}`] ?? VALUES_BY_NAME[flag.name]
  const values = flag.words ? { words: flag.words } : byName
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

/** Candidates at the beginning and after `help`, in addition to the commands. */
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

interface Values {
  readonly words?: readonly string[]
  readonly ids?: readonly IdKind[]
  readonly agents?: true
  readonly models?: true
  readonly files?: 'none' | 'files' | 'directories'
}

const PENDING: Values = { ids: ['call', 'hold'] }

/** By what the help calls the value. */
const FLAG_VALUES: Readonly<Record<string, Values>> = {
  FILE: { files: 'files' },
  DIR: { files: 'directories' },
  RUN: { ids: ['run'] },
  SESSION: { ids: ['session'] },
  HOLD: { ids: ['hold'] },
  TASK: { ids: ['task'] },
}

/** Values by the name of the flag, if need be after the name of its command. */
const VALUES_BY_NAME: Readonly<Record<string, Values>> = {
  model: { models: true },
  agent: { agents: true, files: 'files' },
  'holds agent': { agents: true },
  'grants agent': { agents: true },
  checkpoint: { words: ['last'], ids: ['checkpoint', 'run', 'session'], files: 'files' },
  'tasks checkpoint': { ids: ['checkpoint'] },
  approve: PENDING,
  reject: PENDING,
  edit: PENDING,
  answer: PENDING,
  'audit run': { ids: ['run'] },
  'audit session': { ids: ['session'] },
  'audit hold': { ids: ['hold'] },
}

/** The words that may follow a command, or a command and its word. */
const COMMAND_WORDS: Readonly<Record<string, Values>> = {
  approve: PENDING,
  reject: PENDING,
  answer: PENDING,
  edit: PENDING,
  assign: PENDING,
  'holds wait': PENDING,
  'holds stop': PENDING,
  cancel: { ids: ['run', 'hold'] },
  show: { ids: ['hold', 'run', 'session', 'task', 'checkpoint'] },
  checkpoints: { ids: ['session'] },
  'threads show': { ids: ['session'] },
  'checkpoint export': { ids: ['checkpoint'] },
  'audit explain': { ids: ['run'] },
  'audit verify': { files: 'files' },
  'grants revoke': { ids: ['grant'] },
  'tasks show': { ids: ['task'] },
  'tasks logs': { ids: ['task'] },
  'tasks wait': { ids: ['task'] },
  'tasks cancel': { ids: ['task'] },
  'tasks resume': { ids: ['task'] },
}
