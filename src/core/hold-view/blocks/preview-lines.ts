import { base64Bytes, sizeText } from '../../message/part-words.ts'
import type { PreviewPart } from '../../preview/preview.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { type ChangeLine, diffLines, linesOf, visibleWithTabs } from './change-lines.ts'

/** P9: a part of a preview in full, as visible lines of text. Only an image is described: its type and size. */
export function partLines(part: PreviewPart): ChangeLine[] {
  return (TELLERS[part.type] as (part: PreviewPart) => ChangeLine[])(part)
}

const TELLERS: { readonly [T in PreviewPart['type']]: (part: Extract<PreviewPart, { type: T }>) => ChangeLine[] } = {
  text: ({ title, text }) => [...place(title), ...linesOf(text).map(note)],
  diff: ({ title, diff, added, removed }) =>
    diff === ''
      ? [note(`${title}: nothing changes`)]
      : [...place(`${title}: +${added} -${removed}`), ...diffLines(diff)],
  image: ({ title, media_type, data }) => [
    note(`[image ${[...(title === undefined ? [] : [title]), media_type, sizeText(base64Bytes(data))].join(', ')}]`),
  ],
  table: ({ title, columns, rows }) => {
    const [head = '', ...lines] = inColumns([columns, ...rows])
    return [...place(title), { what: 'place', text: head }, ...lines.map(note)]
  },
  link: ({ title, url }) => [note(title === undefined ? url : `${title}: ${url}`)],
}

/** In characters. A wider cell moves the rest of its row. */
const WIDEST = 72

function inColumns(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map(row => row.map(visibleLine))
  const widths = (cells[0] ?? []).map((_, column) =>
    cells.reduce((most, row) => Math.min(WIDEST, Math.max(most, row[column]?.length ?? 0)), 0),
  )
  return cells.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function place(text: string | undefined): ChangeLine[] {
  return text === undefined ? [] : [{ what: 'place', text: visibleLine(text) }]
}

function note(text: string): ChangeLine {
  return { what: 'note', text: visibleWithTabs(text) }
}
