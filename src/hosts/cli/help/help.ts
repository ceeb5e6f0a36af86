import type { Block, Command, CommandGroup, Example } from '../../command/command.ts'
import { type Flag, type FlagGroup, HELP_FLAG, RUN_FLAGS } from '../../command/flags.ts'
import { leftWidth, type Pair, pairLines, proseWidth, UNBROKEN, wrapped, wrappedCommand } from '../../display/wrap.ts'

/** At most so wide is the left side of a table. */
const WIDEST_TERM = 26

export const FLAG_GROUPS: Record<FlagGroup, string> = {
  run: 'What runs',
  pause: 'When it pauses',
  resume: 'Go on',
  decide: 'Decide',
  output: 'Output and store',
}

export const COMMAND_GROUPS: Record<CommandGroup, string> = {
  start: 'Start',
  decide: 'Decide',
  look: 'Look',
  serve: 'Tasks and servers',
  keep: 'Housekeeping',
}

const GROUPS_OF_FLAGS = Object.entries(FLAG_GROUPS) as readonly (readonly [FlagGroup, string])[]
const GROUPS_OF_COMMANDS = Object.entries(COMMAND_GROUPS) as readonly (readonly [CommandGroup, string])[]

const USES: readonly Pair[] = [
  ['holdpoint [options] "prompt"', 'start a run; - reads stdin'],
  ['holdpoint -c CHECKPOINT [options]', 'go on from a pause'],
  ['holdpoint help COMMAND', 'all about one command'],
]

const MAIN_JOB: readonly Pair[] = [
  ['holdpoint --pause-on-approval "apply it"', 'exit 10: a call waits'],
  ['holdpoint -c cp_… --approve tc_1', 'the call runs, once'],
  ['holdpoint -c cp_… --reject tc_1 --reason no', 'the model is told why'],
  ['holdpoint -c cp_… "yes, proceed"', 'answers a question or a text'],
]

const EXITS: readonly Pair[] = [
  ['0', 'completed'],
  ['1', 'failed, or stopped by a limit'],
  ['2', 'refused before anything happened: wrong flags, unknown id, conflict, not allowed'],
  ['10', 'paused: a person is needed'],
  ['129, 130, 143', 'interrupted by a signal; the run can go on'],
]

const EXITS_IN_SHORT = 'Exit codes: 0 completed; 1 failed; 2 refused; 10 waits; 129, 130, 143 signals.'

/** Teaches the main job first, then lists everything. `columns` is the width of the terminal. */
export function mainHelp(commands: readonly Command[], columns: number): string {
  const width = proseWidth(columns)
  const uses = leftWidth([...USES, ...MAIN_JOB], width)
  return text([
    ...wrapped('Runs agents that wait for people: a run pauses, and any process goes on.', width),
    '',
    ...pairLines(USES, uses, width),
    '',
    ...pairLines(MAIN_JOB, uses, width),
    '',
    ...commandLines(commands, width),
    '',
    'Options of a run (`holdpoint help run` explains them):',
    ...pairLines(flagNames(), leftWidth(flagNames(), width), width),
    ...wrapped(EXITS_IN_SHORT, width),
  ])
}

function commandLines(commands: readonly Command[], width: number): string[] {
  const pairOf = ({ name, summary }: Command): Pair => [name, summary]
  const left = leftWidth(commands.map(pairOf), WIDEST_TERM)
  return GROUPS_OF_COMMANDS.flatMap(([group, title]) => {
    const pairs = commands.filter(command => command.group === group).map(pairOf)
    return pairs.length === 0 ? [] : [`${title}:`, ...pairLines(pairs, left, width)]
  })
}

/** The options by name alone, each with its value in one piece. */
function flagNames(): Pair[] {
  return GROUPS_OF_FLAGS.map(([group, title]) => {
    const names = flagsOf(group).map(({ name, short, value }) => {
      const written = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
      return `${written} `.replaceAll(' ', UNBROKEN)
    })
    return [title, names.join(' ')]
  })
}

/** Every option of a run, by what it is for. */
export function runHelp(columns: number): string {
  const width = proseWidth(columns)
  const left = leftWidth(RUN_FLAGS.map(flagPair), WIDEST_TERM)
  const options = GROUPS_OF_FLAGS.flatMap(([group, title]) => [
    `${title}:`,
    ...pairLines(flagsOf(group).map(flagPair), left, width),
    '',
  ])
  return text([
    'holdpoint [options] "prompt": start a run, or go on with one',
    '',
    ...RUN_ABOUT.flatMap(block => [...blockLines(block, width), '']),
    ...options,
    'Exit codes:',
    ...pairLines(EXITS, leftWidth(EXITS, WIDEST_TERM), width),
  ])
}

const RUN_ABOUT: readonly Block[] = [
  'Without --pause-on-approval or --pause-on a new run in a terminal asks you there. Elsewhere nothing waits for a person: calls that policy would ask about run, calls that it never allows are refused, and a text ends the run. Only a call that a crash left in doubt still waits.',
  'With -c a run goes on: with a decision for each call that waits, or with a text that answers a text pause or the one open question. After `--` all words are the prompt.',
]

function flagsOf(group: FlagGroup): readonly Flag[] {
  return RUN_FLAGS.filter(flag => (flag.group ?? 'output') === group)
}

export async function commandHelp(
  { name, usage, summary, text: load, flags }: Command,
  columns: number,
): Promise<string> {
  const { about, examples } = await load()
  const width = proseWidth(columns)
  const pairs = [...flags, HELP_FLAG].map(flagPair)
  return text([
    ...wrapped(`holdpoint ${name}: ${summary}`, width),
    '',
    'Usage:',
    ...usage.split(' | ').map(form => `  holdpoint ${name}${form ? ` ${form}` : ''}`),
    '',
    ...about.flatMap(block => [...blockLines(block, width), '']),
    ...exampleLines(examples, width),
    'Options:',
    ...pairLines(pairs, leftWidth(pairs, WIDEST_TERM), width),
  ])
}

function blockLines(block: Block, width: number): string[] {
  if (typeof block === 'string') return wrapped(block, width)
  if ('lines' in block) return block.lines.flatMap(line => copiedLines(line, width))
  return pairLines(block.terms, leftWidth(block.terms, WIDEST_TERM), width)
}

/** Examples, each with its purpose in a second column, or above it if there is no room. */
function exampleLines(examples: readonly Example[], width: number): string[] {
  if (examples.length === 0) return []
  const left = Math.max(...examples.map(([command]) => command.length))
  const fits = examples.every(([, purpose]) => left + purpose.length + 4 <= width)
  const lines = fits
    ? pairLines(examples, left, width)
    : examples.flatMap(([command, purpose]) => [
        ...wrapped(purpose, width - 4).map(line => `  # ${line}`),
        ...copiedLines(command, width),
      ])
  return ['Examples:', ...lines, '']
}

function copiedLines(command: string, width: number): string[] {
  return wrappedCommand(command, width - 2).map(line => `  ${line}`)
}

function flagPair({ name, short, value, help }: Flag): Pair {
  return [`${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`, help]
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
