import type { EventData } from '../../../core/journal/event.ts'
import { contentText } from '../../../core/message/part-words.ts'
import { isJsonObject, type Json } from '../../../core/text/json.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { type Line, line } from '../screen/flow.ts'

type Result = Pick<EventData['call.finished'], 'call_id' | 'output' | 'parts'>

/** Longer results are cut, with a count of what is not shown. */
const MOST_LINES = 5
/** Read of a result to show the beginning of it, in characters. */
const LOOKED_AT = 20_000
const INDENT = '    '

/** The beginning of a result in a few rows, and the command that shows the rest (P9: never without a count). */
export function resultLines(result: Result, columns: number): Line[] {
  const text = resultText(result).trimEnd()
  const isSaid = typeof result.output === 'string' && text.length <= SAID && !text.includes('\n')
  if (text === '' || isSaid) return []
  const lines = text.slice(0, LOOKED_AT).split('\n')
  const shown = lines.slice(0, lines.length === MOST_LINES + 1 ? lines.length : MOST_LINES)
  const rows = shown.map(each => line(`${INDENT}${shortened(visibleLine(each), columns - INDENT.length)}`, 'dim'))
  const isWhole = shown.length === lines.length && text.length <= LOOKED_AT && shown.every(each => fits(each, columns))
  if (isWhole) return rows
  return [...rows, line(`${INDENT}(${sizeOf(text, shown.length)}: /show ${result.call_id})`, 'dim')]
}

/** All of a result, up to a bound. `sessionId` is that of its session. */
export function wholeResult(result: Result, sessionId: string): Line[] {
  const text = resultText(result).trimEnd()
  if (text === '') return [line(`${INDENT}${visibleLine(result.call_id)} had no output.`, 'dim')]
  const { lines, left } = boundedLines(text)
  const rows = lines.map(each => line(`${INDENT}${visibleLine(each)}`))
  return [...rows, ...leftLines(left, `holdpoint threads show ${sessionId} --json`)]
}

/** More of a text is not written into the scrollback. */
const MOST_WRITTEN = { characters: 200_000, lines: 2_000 } as const

interface Bounded {
  readonly lines: readonly string[]
  /** In characters. */
  readonly left: number
}

export function boundedLines(text: string): Bounded {
  const lines = text.slice(0, MOST_WRITTEN.characters).split('\n').slice(0, MOST_WRITTEN.lines)
  const written = lines.reduce((sum, { length }) => sum + length + 1, -1)
  return { lines, left: text.length - written }
}

/** The number of lines that are left out, and the command that shows them. */
export function leftLines(left: number, command: string): Line[] {
  const more = `${left.toLocaleString('en-US')} more characters`
  return left <= 0 ? [] : [line(`${INDENT}(${more}: ${visibleLine(command)})`, 'magenta')]
}

/** The line of the call shows results that are as short as this. */
const SAID = 40

function fits(text: string, columns: number): boolean {
  return shortened(visibleLine(text), columns - INDENT.length) === visibleLine(text)
}

function sizeOf(text: string, shown: number): string {
  const more = countLines(text) - shown
  if (more > 0) return `${more.toLocaleString('en-US')} more ${more === 1 ? 'line' : 'lines'}`
  return `${text.length.toLocaleString('en-US')} characters`
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** The text that a command printed; any other result as it is. */
function resultText({ output, parts }: Result): string {
  if (parts) return contentText(parts)
  if (typeof output === 'string') return output
  if (isJsonObject(output) && typeof output['stdout'] === 'string') return printed(output)
  return output === null ? '' : JSON.stringify(output, null, 2)
}

function printed({ stdout, stderr }: { readonly [name: string]: Json }): string {
  return [stdout, stderr].filter(text => typeof text === 'string' && text !== '').join('\n')
}
