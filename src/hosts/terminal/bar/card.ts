/** A hold as rows of the bar: one line of facts, and all that is decided about (P9: nothing is left out). */
import { whenDue } from '../../../core/deadlines/describe-due.ts'
import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import { usualMessage } from '../../../core/hold/hold.ts'
import { argumentChanges, type ChangeLine } from '../../../core/hold-view/argument-changes.ts'
import { jsonText, SAYS_NEVER } from '../../../core/hold-view/hold-words.ts'
import { previewLines } from '../../../core/hold-view/preview-lines.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/text/json.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import type { Style } from '../../display/colours.ts'
import { chopped } from '../screen/flow.ts'
import { type Line, line } from '../screen/line.ts'

const ASKS: Record<HoldKind, string> = {
  approval: 'needs approval',
  question: 'asks',
  input: 'waits for a message',
  client_tool: 'runs elsewhere: its result is wanted',
  in_doubt: 'in doubt: did it happen?',
}

export interface CardSite {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The rule that asked for it, if it is known. */
  readonly rule: string | null
}

/** `run_command · needs approval · due in 23 h · rule: default prompt` */
export function factsOf(hold: Hold, { now, rule }: CardSite): string {
  const { tool, kind, due_at, destructive, deciders, votes } = hold
  const quorum = deciders?.quorum ?? 1
  const facts = [
    ...(tool === null ? [] : [tool]),
    ASKS[kind],
    ...(destructive ? ['cannot be taken back'] : []),
    ...(quorum > 1 ? [`${votes.length} of ${quorum} approved`] : []),
    ...(due_at === null ? [] : [`due ${whenDue(due_at, now)}`]),
    ...(rule === null ? [] : [`rule: ${rule}`]),
  ]
  return visibleLine(facts.join(' · '))
}

const INDENT = '   '

type Said = readonly [text: string, style: Style | null]

/** All rows of it, none wider than `columns`. `before`: what was asked about the same call before. */
export function cardRows(hold: Hold, before: JsonObject | null, columns: number): readonly Line[] {
  return said(hold, before).flatMap(([text, style]) =>
    visibleText(text.replaceAll('\t', '    '))
      .split('\n')
      .flatMap(each => chopped(each, columns - INDENT.length))
      .map(each => line(`${INDENT}${each}`, style)),
  )
}

function said(hold: Hold, before: JsonObject | null): readonly Said[] {
  const { message, tool, context, choices, response_schema, preview } = hold
  return [
    ...(hold.overrides_never ? [[SAYS_NEVER, 'red'] as const] : []),
    ...changesSince(before, hold),
    ...plain(message === usualMessage(tool ?? '') ? [] : [message]),
    ...plain(argumentRows(hold)),
    ...plain(context === null ? [] : [`context: ${jsonText(context)}`]),
    ...plain((choices ?? []).map((choice, index) => `${index + 1}  ${choice}`)),
    ...plain(response_schema === null ? [] : [`the answer must match ${JSON.stringify(response_schema)}`]),
    ...(preview ? previewLines(preview).map(changed) : []),
  ]
}

function plain(texts: readonly string[]): Said[] {
  return texts.map(text => [text, null])
}

/** P9: what is asked about the call now is not what was asked before. */
function changesSince(before: JsonObject | null, { arguments: args }: Hold): Said[] {
  const changes = before && isJsonObject(args ?? null) ? argumentChanges(before, args as JsonObject) : []
  return changes.length === 0 ? [] : [['It is not what was asked before:', 'yellow'], ...changes.map(changed)]
}

function changed({ what, text }: ChangeLine): Said {
  return [text, CHANGED[what] ?? null]
}

const CHANGED: Readonly<Record<string, Style>> = { place: 'bold', was: 'red', is: 'green' }

function argumentRows({ kind, arguments: args }: Hold): string[] {
  if (kind === 'question' || args === null) return []
  if (typeof args === 'string') return [args]
  const [only, ...more] = Object.entries(args)
  if (only === undefined) return ['no arguments']
  if (more.length === 0 && typeof only[1] === 'string') return [only[1]]
  return [only, ...more].flatMap(([name, value]) => argumentText(name, value))
}

/** A text of several lines is set in below its name, so that no line of it looks like an argument. */
function argumentText(name: string, value: Json): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  if (!text.includes('\n')) return [`${visibleLine(name)}: ${typeof value === 'string' ? JSON.stringify(value) : text}`]
  return [`${visibleLine(name)}:`, ...text.split('\n').map(each => `  ${each}`)]
}
