/** P9: the blocks of a hold as visible lines, for every surface that shows text. */
import { isJsonObject, type Json } from '../../text/json.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { type ChangeLine, linesOf, visibleWithTabs } from './change-lines.ts'
import { ARGUMENTS, type Block } from './hold-blocks.ts'
import { partLines } from './preview-lines.ts'

/**
 * The lines that say what a hold asks. None of them may stand where lines of Holdpoint begin: whoever prints them sets
 * them in.
 */
export function blockLines(blocks: readonly Block[]): ChangeLine[] {
  return blocks.flatMap(block => (PAINTERS[block.type] as (block: Block) => ChangeLine[])(block))
}

const PAINTERS: { readonly [T in Block['type']]: (block: Extract<Block, { type: T }>) => ChangeLine[] } = {
  warning: ({ tone, text }) => linesAs(tone, text),
  remark: ({ text }) => linesAs('note', text),
  // No words of an agent look like a line of Holdpoint, or like the command.
  prose: ({ text }) => linesAs('prose', text).map(line => ({ ...line, text: `│ ${line.text}` })),
  command: ({ text, isSaid }) =>
    isSaid
      ? []
      : linesAs('command', text).map((line, at) => ({ ...line, text: `${at === 0 ? '$' : ' '} ${line.text}` })),
  part: ({ part }) => partLines(part),
  value: ({ title, value }) => valueLines(title, value),
  choices: ({ choices }) =>
    choices.map((choice, index) => ({ what: 'choice', text: `${index + 1}  ${visibleLine(choice)}` })),
}

function linesAs(what: ChangeLine['what'], text: string): ChangeLine[] {
  return linesOf(text).map(line => ({ what, text: visibleWithTabs(line) }))
}

/** Arguments go by name, a line each. A text of several lines is set in below its name. */
function valueLines(title: string, value: Json): ChangeLine[] {
  if (isJsonObject(value)) {
    const entries = Object.entries(value)
    if (title === ARGUMENTS)
      return entries.length === 0
        ? linesAs('note', 'no arguments')
        : entries.flatMap(([name, each]) => namedLines(name, each))
  }
  return namedLines(title, value)
}

function namedLines(name: string, value: Json): ChangeLine[] {
  const text = typeof value === 'string' ? value : tidyJson(value)
  const isLong = text.includes('\n')
  if (!isLong)
    return [
      { what: 'note', text: `${visibleLine(name)}: ${visibleLine(typeof value === 'string' ? quoted(value) : text)}` },
    ]
  return [
    { what: 'note', text: `${visibleLine(name)}:` },
    ...linesAs('note', text).map(line => ({ ...line, text: `  ${line.text}` })),
  ]
}

/** As it is, unless it could be taken for another value, or for nothing. */
function quoted(text: string): string {
  return /^(?:$|\s|["[{]|[-+.\d]|true$|false$|null$)|\s$/.test(text) ? JSON.stringify(text) : text
}

/** In characters, with what it is set in by. */
const LONGEST_FLAT = 60

/** JSON in which a value that is short has one line, so that a list of rows reads as one. */
function tidyJson(value: Json, inset = ''): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || inset.length + flat.length <= LONGEST_FLAT) return flat
  const deeper = `${inset}  `
  const isList = Array.isArray(value)
  const parts = Object.entries(value).map(
    ([name, each]) => deeper + (isList ? '' : `${JSON.stringify(name)}: `) + tidyJson(each, deeper),
  )
  return `${isList ? '[' : '{'}\n${parts.join(',\n')}\n${inset}${isList ? ']' : '}'}`
}
