import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { cutText } from '../text/kept-text.ts'

export function isNotebook(name: string, media_type = ''): boolean {
  return /\.ipynb$/i.test(name) || /ipynb/i.test(media_type)
}

/** A Jupyter notebook as Markdown, with the texts of its outputs; `null` if it is none. */
export function notebookText(text: string): string | null {
  try {
    const { cells }: JsonObject = JSON.parse(text)
    return Array.isArray(cells) ? cells.filter(isJsonObject).map(cellText).join('\n\n') : null
  } catch {
    return null
  }
}

function cellText({ cell_type, source, outputs }: JsonObject): string {
  if (cell_type !== 'code') return lines(source)
  const results = Array.isArray(outputs) ? outputs.filter(isJsonObject).map(outputText) : []
  return [fenced(lines(source)), ...results.filter(text => text.trim() !== '').map(fenced)].join('\n')
}

const LONGEST_OUTPUT = 10_000

/** Pictures of an output are left out: a notebook is full of them. */
function outputText({ text, data, ename, evalue }: JsonObject): string {
  if (typeof ename === 'string') return `${ename}: ${lines(evalue)}`
  const written = lines(text ?? (isJsonObject(data) ? data['text/plain'] : undefined))
  return written.length > LONGEST_OUTPUT ? `${cutText(written, LONGEST_OUTPUT)}…` : written
}

function lines(source: Json | undefined): string {
  return [source ?? []]
    .flat()
    .filter(line => typeof line === 'string')
    .join('')
}

function fenced(text: string): string {
  return `\`\`\`\n${text.trimEnd()}\n\`\`\``
}
