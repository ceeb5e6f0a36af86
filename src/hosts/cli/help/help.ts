import type { Command } from '../../command/command.ts'
import { type Flag, HELP_FLAG, RUN_FLAGS } from '../../command/flags.ts'

/** Teaches the main job first, then lists everything. */
export function mainHelp(commands: readonly Command[]): string {
  return `holdpoint runs an agent that can wait for people: it pauses, exits with code 10, and any process goes on with it.

Usage:
  holdpoint [options] "prompt"        start a run; - reads the prompt from stdin; after -- everything is prompt
  holdpoint -c CHECKPOINT [options]   go on from a pause

The main job:
  holdpoint --pause-on-approval -o json "apply the changes"      exit 10: pending calls, and how to go on
  holdpoint -c cp_… --approve tc_1                               the call runs, once; exit 0 when completed
  holdpoint -c cp_… --reject tc_1 --reason "not on a Friday"     the model is told why
  holdpoint -c cp_… "yes, proceed"                               answers a text pause, or the one open question

Options:
${flagTable(RUN_FLAGS)}

Commands (each with --help):
${table(commands.map(({ name, summary }) => [name, summary]))}

Exit codes:
${table(EXITS)}

Without --pause-on-approval or --pause-on nothing waits for a person: calls that policy would ask about run, calls that
policy says never to are refused, and a text ends the run. Only a call that a crash left in doubt still waits. In a
terminal a new run without -a asks you there instead.
`
}

export function commandHelp({ name, usage, summary, about, flags }: Command): string {
  return `holdpoint ${name}: ${summary}

Usage:
  holdpoint ${name}${usage ? ` ${usage}` : ''}

${about}

Options:
${flagTable([...flags, HELP_FLAG])}
`
}

const EXITS: readonly (readonly [string, string])[] = [
  ['0', 'completed'],
  ['1', 'failed, or stopped by a limit'],
  ['2', 'refused before anything happened: wrong flags, unknown id, conflict, not allowed'],
  ['10', 'paused: somebody is needed'],
  ['129, 130, 143', 'interrupted by a signal; the run can be resumed'],
]

function flagTable(flags: readonly Flag[]): string {
  return table(
    flags.map(({ name, short, value, help }) => [
      `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`,
      help,
    ]),
  )
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
