/** Writes docs/commands.md from the flags: `npm run commands`. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from '../src/hosts/command/command.ts'
import { type Flag, RUN_FLAGS } from '../src/hosts/command/flags.ts'
import { COMMANDS } from '../src/hosts/entry/commands.ts'

export const COMMANDS_FILE: string = resolve(import.meta.dirname, '../docs/commands.md')

const INTRODUCTION = `# Commands

Written by \`npm run commands\` from the flags themselves. \`holdpoint --help\` and \`holdpoint COMMAND --help\` show the same
in a terminal, with examples.

## holdpoint

\`holdpoint [options] "prompt"\` starts a run, and \`holdpoint -c CHECKPOINT [options]\` goes on with one
([running](running.md)).
`

export function commandsDocument(): string {
  return [INTRODUCTION, flagTable(RUN_FLAGS), ...COMMANDS.map(sectionOf)].join('\n')
}

function sectionOf({ name, usage, summary, flags }: Command): string {
  const call = ['holdpoint', name, usage].filter(Boolean).join(' ')
  const table = flags.length > 0 ? `\n${flagTable(flags)}` : ''
  return `## ${name}\n\n\`${call}\`: ${summary}.\n${table}`
}

function flagTable(flags: readonly Flag[]): string {
  const rows = flags.map(({ name, short, value, help }) => {
    const names = [short && `-${short}`, `--${name}${value ? ` ${value}` : ''}`].filter(Boolean)
    return [names.map(shown => `\`${shown}\``).join(', '), help]
  })
  const table = [['flag', 'what it does'], ['---', '---'], ...rows]
  return `${table.map(cells => `| ${cells.map(cell).join(' | ')} |`).join('\n')}\n`
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
}

if (import.meta.main) writeFileSync(COMMANDS_FILE, commandsDocument())
