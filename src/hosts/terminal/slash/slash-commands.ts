/** The slash commands of the chat: one table, which help and completion read too. */
import { nearestWords } from '../../../core/text/edit-distance.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { splitCommand } from '../../asking/edit-arguments.ts'
import { flowed, type Line, line } from '../screen/flow.ts'
import { DECIDING } from './deciding-commands.ts'
import type { SlashCommand } from './deck.ts'
import { SESSION } from './session-commands.ts'
import { TALKING } from './talking-commands.ts'

/** Commands of Holdpoint that show something, run as on the command line. */
const LOOKING: readonly (readonly [name: string, usage: string, does: string])[] = [
  ['holds', '[FILTERS]', 'what waits, in all sessions'],
  ['runs', '[--tree]', 'runs, and how each stands'],
  ['tasks', '', 'commands and agents that run as tasks'],
  ['agents', '[list]', 'agents in the background, and how each stands'],
  ['threads', '[list]', 'all sessions'],
  ['policy', 'check COMMAND', 'whether a call would run, ask or be refused in this session'],
  ['grants', '[revoke ID]', 'what is always allowed'],
  ['audit', '[FILTERS]', 'who did what'],
]

const SHOW: SlashCommand = {
  name: 'show',
  usage: 'ID',
  does: 'a call, hold, run, session or task in full',
  run: async (deck, rest) => {
    const lines = await deck.result(rest)
    if (lines) deck.print([...titled('show', rest), ...lines])
    else await deck.command(['show', ...wordsOf(rest)], titled('show', rest))
  },
}

const HELP: SlashCommand = {
  name: 'help',
  usage: '',
  does: 'this list, and the keys',
  run: async deck => {
    const known = [...SLASH_COMMANDS, ...deck.commands]
    const wide = Math.max(...known.map(({ name, usage }) => name.length + usage.length + 2))
    const beside = ' '.repeat(wide + 4)
    const commands = known.map(
      ({ name, usage, does }): Line => [
        { text: `  ${`/${name} ${usage}`.padEnd(wide)}  `, style: 'bold' },
        { text: does, style: null },
      ],
    )
    const keys = KEYS.map(text => line(`  ${text}`, 'dim'))
    deck.print([
      ...titled('help', ''),
      ...commands.flatMap(each => flowed(each, deck.columns(), beside)),
      line(''),
      ...keys.flatMap(each => flowed(each, deck.columns(), '  ')),
    ])
  },
}

const KEYS: readonly string[] = [
  'Enter sends, Alt+Enter or Ctrl+J begins a new line, ↑ brings back what was sent',
  'Tab or Ctrl+G goes to what waits; there a letter decides, and Esc goes back',
  '@PATH sends an image along; a line that begins with a space is no command',
  'Ctrl+C clears the draft, else stops the run; twice, or Ctrl+D, leaves',
]

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  ...DECIDING,
  SHOW,
  ...LOOKING.map(
    ([name, usage, does]): SlashCommand => ({
      name,
      usage,
      does,
      run: (deck, rest) => deck.command([name, ...wordsIn(name, rest)], titled(name, rest)),
    }),
  ),
  ...SESSION,
  ...TALKING,
  HELP,
]

/** The command, above its result. */
function titled(name: string, rest: string): readonly Line[] {
  return [line(''), line(visibleLine(`/${name} ${rest}`.trimEnd()), 'dim')]
}

function wordsOf(text: string): readonly string[] {
  return splitCommand(text, 'Close the quote, or put a backslash before what is meant as it is.')
}

/** A command that is checked needs no quotes around it: all of the line is meant. */
function wordsIn(name: string, rest: string): readonly string[] {
  const [, checked] = (name === 'policy' && /^check\s+(?!--)([\s\S]+)$/.exec(rest)) || []
  if (checked === undefined) return wordsOf(rest)
  const isQuoted = /^(?:'[^']*'|"[^"]*")$/.test(checked)
  return ['check', '--', isQuoted ? checked.slice(1, -1) : checked]
}

/** Other names of commands. */
export const ALSO: Readonly<Record<string, string>> = {
  reject: 'deny',
  steer: 'now',
  quit: 'leave',
  exit: 'leave',
  detach: 'leave',
}

export interface Meant {
  readonly command: SlashCommand | null
  readonly rest: string
  /** The typed command, without the slash. */
  readonly word: string
  /** The nearest names, if there is no such command: the nearest first. */
  readonly near: readonly string[]
}

/** The command that a draft names; `null` if it is a message. */
export function slashIn(text: string, more: readonly SlashCommand[] = []): Meant | null {
  const [, word, rest = ''] = /^\/([^\s]*)\s*([\s\S]*)$/.exec(text) ?? []
  if (word === undefined) return null
  const all = [...more, ...SLASH_COMMANDS]
  const named = (name: string | undefined) => all.find(known => known.name === name)
  const command = named(word) ?? named(ALSO[word]) ?? null
  const names = all.map(known => known.name)
  return { command, rest: rest.trim(), word, near: command ? [] : nearTo(word, names) }
}

/** More names than these are no help. */
const MOST_NEAR = 3

function nearTo(word: string, names: readonly string[]): readonly string[] {
  return [...new Set([...completed(word, names), ...nearestWords(word, names)])].slice(0, MOST_NEAR)
}

/** The names that a word begins. */
export function completed(
  word: string,
  names: readonly string[] = SLASH_COMMANDS.map(({ name }) => name),
): readonly string[] {
  return word === '' ? [] : names.filter(name => name.startsWith(word))
}
