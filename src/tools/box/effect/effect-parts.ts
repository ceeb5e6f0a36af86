/** What people see of an effect before they decide: deletions by name, each difference as far as there is room, and the rest in numbers. */
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changeWord, type Effect, type EntryState, type FileChange, renamesIn } from '../../../core/effect/effect.ts'
import { isInGit } from '../../../core/effect/effect-rules.ts'
import { sizeText } from '../../../core/message/part-words.ts'
import { lineDiff } from '../../../core/preview/line-diff.ts'
import type { PreviewPart } from '../../../core/preview/preview.ts'

export interface Outcome {
  readonly command: string
  readonly exit_code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ShownSides {
  readonly workdir: string
  readonly upper: string
}

/** Bytes of a file that is compared line by line. */
const LONGEST_FILE = 512 * 1024
/** Characters of one difference, and of all. */
const LONGEST_DIFF = 64 * 1024
const ALL_DIFFS = 256 * 1024
/** Files that are compared: the others are in the list. */
const MOST_DIFFS = 200
const OUTPUT_END = 4_000
const MOST_LISTED = 200

export function effectParts(sides: ShownSides, effect: Effect, outcome: Outcome): readonly PreviewPart[] {
  const files = effect.changes.filter(({ path }) => !isInGit(path))
  const inGit = effect.changes.filter(({ path }) => isInGit(path))
  const { diffs, others } = compared(
    sides,
    files.filter(({ after }) => after !== null),
  )
  return [
    text('Effect', headline(effect, outcome)),
    ...deletions(files),
    ...diffs,
    ...(others.length > 0 ? [text('Other changes', listed(others))] : []),
    ...(inGit.length > 0 ? [text('Git', gitWords(inGit))] : []),
    ...(effect.left_out.length > 0 ? [text('Not kept (devices, sockets, pipes)', effect.left_out.join('\n'))] : []),
    ...outputPart(outcome),
  ]
}

function text(title: string, words: string): PreviewPart {
  return { type: 'text', title, text: words }
}

function headline(effect: Effect, { exit_code }: Outcome): string {
  const counts = new Map<string, number>()
  for (const change of effect.changes)
    if (change.before?.kind !== 'directory' && change.after?.kind !== 'directory')
      counts.set(changeWord(change), (counts.get(changeWord(change)) ?? 0) + 1)
  const words = [...counts].map(([word, count]) => `${count} ${word}`).join(', ') || 'only directories'
  const renamed = renamesIn(effect).length
  const renames = renamed > 0 ? `, of which ${renamed} renamed` : ''
  return `The command ran in a box and ended with ${exit_code ?? 'a signal'}. Nothing of this has happened yet: ${words}${renames}.`
}

/** Every name, by directory: nothing that goes is left out. */
function deletions(files: readonly FileChange[]): readonly PreviewPart[] {
  const gone = files.filter(({ after }) => after === null)
  if (gone.length === 0) return []
  const byDirectory = Map.groupBy(
    gone.filter(({ before }) => before?.kind !== 'directory'),
    ({ path }) => path.slice(0, path.lastIndexOf('/') + 1),
  )
  const lines = [...byDirectory].map(([directory, each]) => {
    const names = each.map(({ path }) => path.slice(directory.length)).join('  ')
    return directory === '' ? names : `${directory} (${each.length}): ${names}`
  })
  const empty = gone.filter(({ path, before }) => before?.kind === 'directory' && !byDirectory.has(`${path}/`))
  return [text(`Deleted (${gone.length})`, [...lines, ...empty.map(({ path }) => `${path}/`)].join('\n'))]
}

interface Compared {
  readonly diffs: readonly PreviewPart[]
  readonly others: readonly FileChange[]
}

function compared(sides: ShownSides, changes: readonly FileChange[]): Compared {
  const [diffs, others]: [PreviewPart[], FileChange[]] = [[], []]
  let room = ALL_DIFFS
  for (const change of changes.filter(each => !isNewDirectory(each))) {
    const part = diffs.length < MOST_DIFFS && room > 0 ? diffOf(sides, change) : null
    if (part?.type === 'diff' && part.diff !== '' && part.diff.length <= Math.min(room, LONGEST_DIFF)) {
      diffs.push(part)
      room -= part.diff.length
    } else others.push(change)
  }
  return { diffs, others }
}

function isNewDirectory({ before, after }: FileChange): boolean {
  return after?.kind === 'directory' && before === null
}

function diffOf({ workdir, upper }: ShownSides, { path, before, after }: FileChange): PreviewPart | null {
  const [was, is] = [textOf(join(workdir, path), before), textOf(join(upper, path), after)]
  if (was === null || is === null) return null
  const found = lineDiff(was, is)
  const note = before === null ? ' (new file)' : before.mode === after?.mode ? '' : ` (${modeWords(before, after)})`
  return found && { type: 'diff', title: `${path}${note}`, ...found }
}

/** `null` if it is no text of a usual length. */
function textOf(place: string, state: EntryState | null): string | null {
  if (state === null) return ''
  if (state.kind !== 'file' || state.size > LONGEST_FILE) return null
  const bytes = readFileSync(place)
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null
}

function modeWords(before: EntryState, after: EntryState | null): string {
  return `mode ${before.mode.toString(8)} to ${(after?.mode ?? 0).toString(8)}`
}

/** New directories with much in them are counted; what was there before is named. */
function listed(changes: readonly FileChange[]): string {
  const [created, others] = [
    changes.filter(({ before }) => before === null),
    changes.filter(({ before }) => before !== null),
  ]
  const folded = created.length > MOST_LISTED ? countedByDirectory(created) : created.map(lineOf)
  return [...others.map(lineOf), ...folded].join('\n')
}

function lineOf(change: FileChange): string {
  const { path, before, after, leads_to } = change
  const size = after?.kind === 'file' ? `, ${sizeText(after.size)}` : ''
  const link = leads_to === undefined ? '' : `, a link to ${leads_to}`
  const mode = before && after && before.mode !== after.mode ? `, ${modeWords(before, after)}` : ''
  return `${path}: ${changeWord(change)}${size}${link}${mode}`
}

function countedByDirectory(created: readonly FileChange[]): readonly string[] {
  const groups = Map.groupBy(created, ({ path }) => path.split('/').slice(0, 2).join('/'))
  const lines = [...groups].map(
    ([place, each]) =>
      `${place}${each.length > 1 ? '/' : ''}: ${each.length} created, ${sizeText(each.reduce((sum, { after }) => sum + (after?.size ?? 0), 0))}`,
  )
  const more = lines.length - MOST_LISTED
  return more > 0 ? [...lines.slice(0, MOST_LISTED), `and ${more} more places`] : lines
}

function gitWords(changes: readonly FileChange[]): string {
  const isNamed = ({ path }: FileChange) => !/\/(?:objects|logs)\//.test(path)
  const named = changes.filter(change => change.after?.kind !== 'directory' && isNamed(change))
  const objects = changes.filter(({ path, after }) => path.includes('/objects/') && after?.kind === 'file').length
  return [
    ...named.slice(0, MOST_LISTED).map(lineOf),
    ...(objects > 0 ? [`${objects} objects of the history are new`] : []),
  ].join('\n')
}

function outputPart({ stdout, stderr }: Outcome): readonly PreviewPart[] {
  const shown = [stdout, stderr]
    .map(each => each.trimEnd())
    .filter(each => each !== '')
    .join('\n')
  if (shown === '') return []
  return [text('Output', shown.length > OUTPUT_END ? `…${shown.slice(-OUTPUT_END)}` : shown)]
}
