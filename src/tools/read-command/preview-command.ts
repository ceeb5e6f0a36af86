/** Shows how the words of a command were read, and how policy rules each part. */
import { createHash } from 'node:crypto'
import { type Policy, rule } from '../../core/policy/policy.ts'
import type { PreviewPart } from '../../core/preview/preview.ts'
import { canonicalJson, type Json } from '../../core/text/json.ts'
import { inspectCommand, LONGEST_COMMAND } from './inspect-command.ts'
import { readScript } from './text/read-script.ts'
import type { ReadWord } from './text/read-word.ts'
import type { ReadCommand, ShellParser } from './text/script-reading.ts'
import { unwrapCommand } from './unwrap-command.ts'

/** No approver reads more: the preview gives the number of the others. */
const MOST_PARTS = 100
const DEEPEST = 8

interface Place {
  readonly workdir: string
  readonly policy: Policy
  /** `null` if this machine has a box, or why it has none. Left out if it was not asked. */
  readonly no_box?: string | null
}

export async function commandParts(command: string, place: Place): Promise<readonly PreviewPart[]> {
  const { unclear, protected: isProtected, readings } = await inspectCommand(command, place.workdir)
  const doubts = new Set([unclear, isProtected, ...(readings['command']?.commands ?? []).map(({ doubt }) => doubt)])
  doubts.delete(null)
  return [
    await partsTable(await partsOf(command), place),
    ...[...doubts].map((doubt): PreviewPart => ({ type: 'text', text: `In doubt: ${doubt}` })),
  ]
}

/** The reading in short: it is another one if a program is a link elsewhere by the time the command starts. */
export async function commandBasis(command: string, workdir: string): Promise<Json> {
  const { unclear, protected: isProtected, readings } = await inspectCommand(command, workdir)
  const { among = [], commands = [] } = readings['command'] ?? {}
  const doubts = [...new Set([unclear, isProtected, ...commands.map(({ doubt }) => doubt)])]
  return `sha256:${createHash('sha256')
    .update(canonicalJson([...among, ...doubts]))
    .digest('hex')}`
}

interface ReadPart {
  readonly text: string
  /** How many commands run it: 0 for the command itself. */
  readonly depth: number
  /** A file that a redirection opens to write, rather than a command. */
  readonly writes?: true
}

async function partsOf(command: string): Promise<readonly ReadPart[]> {
  if (Buffer.byteLength(command) > LONGEST_COMMAND) return []
  const parser = await import('unbash')
  return [...partsIn(parser, command, 0)].slice(0, MOST_PARTS + 1)
}

/** Every simple command in the order of the text, each followed by those that it runs itself: `sudo`, `bash -c`. */
function* partsIn(parser: ShellParser, text: string, depth: number): Generator<ReadPart> {
  if (depth > DEEPEST) return
  const { commands, asides } = readScript(parser, text, false)
  for (const command of commands.toSorted((a, b) => a.at - b.at)) yield* partsFrom(parser, command, depth)
  for (const aside of asides.filter(({ sure }) => sure)) yield* partsIn(parser, aside.text, depth + 1)
}

function* partsFrom(parser: ShellParser, command: ReadCommand, depth: number): Generator<ReadPart> {
  if (command.words.length > 0) yield { text: asText(command.words), depth }
  for (const { operator, target } of command.writes)
    yield { text: `${operator} ${asText([target])}`, depth, writes: true }
  const { commands, scripts } = unwrapCommand(command, null)
  if (depth < DEEPEST) for (const text of scripts) yield* partsIn(parser, text, depth + 1)
  if (scripts.size === 0) for (const words of commands.slice(1)) yield { text: asText(words), depth: depth + 1 }
}

/** Words that the shell expands are shown as written. */
function asText(words: readonly ReadWord[]): string {
  return words.map(({ text, literal }) => (literal ? quoted(text) : /\s/.test(text) ? `"${text}"` : text)).join(' ')
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

async function partsTable(parts: readonly ReadPart[], place: Place): Promise<PreviewPart> {
  const rows = await Promise.all(parts.slice(0, MOST_PARTS).map(part => row(part, place)))
  const more = parts.length > MOST_PARTS ? [[`and more: only ${MOST_PARTS} parts are shown`, '', '']] : []
  return { type: 'table', columns: ['runs', 'policy', 'because'], rows: [...rows, ...more] }
}

async function row({ text, depth, writes }: ReadPart, { workdir, policy, no_box }: Place): Promise<string[]> {
  if (writes) return [`${'  '.repeat(depth)}${text}`, '', 'this file is written']
  const facts = { ...(await inspectCommand(text, workdir)), ...(no_box !== undefined && { no_box }) }
  const question = { tool: 'run_command', arguments: { command: text }, facts, needs_approval: null }
  const { verdict, rule: because } = rule(policy, question)
  return [`${'  '.repeat(depth)}${text}`, verdict, because]
}
