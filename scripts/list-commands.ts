/** Makes docs/commands.md from the flags and the help. */
import { COMMAND_GROUPS, FLAG_GROUPS } from '../src/hosts/cli/help/help.ts'
import type { Command } from '../src/hosts/command/command.ts'
import { type Flag, RUN_FLAGS } from '../src/hosts/command/flags.ts'
import { COMMANDS } from '../src/hosts/entry/commands.ts'

const INTRODUCTION = `# Commands

Made from the flags themselves. \`holdpoint COMMAND --help\` shows the same in a terminal, and says more about each command.
`

const RUN = `## holdpoint

\`holdpoint [options] "prompt"\` starts a run, and \`holdpoint -c CHECKPOINT [options]\` goes on with one
([running](running.md)).
`

export async function commandsDocument(): Promise<string> {
  const groups = await Promise.all(Object.entries(COMMAND_GROUPS).map(([group, title]) => groupOf(group, title)))
  return [INTRODUCTION, RUN, ...runTables(), ...groups.flat()].join('\n')
}

function runTables(): string[] {
  return Object.entries(FLAG_GROUPS).map(([group, title]) => {
    const flags = RUN_FLAGS.filter(flag => (flag.group ?? 'output') === group)
    return tableOf([title, 'what it does'], flags.map(flagRow))
  })
}

async function groupOf(group: string, title: string): Promise<string[]> {
  const commands = COMMANDS.filter(command => command.group === group)
  return commands.length === 0 ? [] : [`## ${title}\n`, ...(await Promise.all(commands.map(sectionOf)))]
}

async function sectionOf({ name, usage, summary, flags, text }: Command): Promise<string> {
  const forms = usage.split(' | ').map(form => `\`holdpoint ${name}${form ? ` ${form}` : ''}\``)
  const { examples } = await text()
  return [
    `### ${name}\n`,
    `${forms.join(', ')}: ${summary}.\n`,
    ...(flags.length > 0 ? [tableOf(['flag', 'what it does'], flags.map(flagRow))] : []),
    ...(examples.length > 0 ? [tableOf(['example', 'for'], examples.map(exampleRow))] : []),
  ].join('\n')
}

function flagRow({ name, short, value, help }: Flag): readonly string[] {
  const names = [...(short ? [`-${short}`] : []), `--${name}${value ? ` ${value}` : ''}`]
  return [names.map(shown => `\`${shown}\``).join(', '), help]
}

function exampleRow([command, purpose]: readonly [command: string, purpose: string]): readonly string[] {
  return [`\`${command}\``, purpose]
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.map(cell).join(' | ')} |`)
  return `${lines.join('\n')}\n`
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
}
