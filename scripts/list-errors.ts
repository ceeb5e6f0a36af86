/** Makes docs/errors.md from the sources. */
import { resolve } from 'node:path'
import { REFUSALS } from '../src/core/refusal-codes.ts'
import { type ErrorGroup, type FoundError, findErrors } from './find-errors.ts'

const ROOT = resolve(import.meta.dirname, '..')

const INTRODUCTION = `# Errors

Every error has a \`code\`, which is stable and meant for programs; a message that says what happened; and mostly a hint
that says what to do. In json mode they are \`error.code\`, \`error.message\` and \`error.hint\`. Made from the sources:
\`…\` stands for what varies, and of several messages the most usual one is shown.
`

interface Section {
  readonly title: string
  readonly about: string
  readonly columns: readonly string[]
}

const REMEDY = ['code', 'what happened', 'what to do']
const REFUSAL = ['code', 'what it means', 'what is said', 'what to do']

const SECTIONS: Readonly<Record<ErrorGroup, Section>> = {
  refusals: {
    title: 'Refusals',
    about:
      'A `RefusedError`: nothing was changed, no model was called. Exit code 2, but 1 if the run had begun already.',
    columns: REFUSAL,
  },
  failures: {
    title: 'Failures',
    about:
      'Exit code 1 or that of a signal: an error of another class, the end of a run, or what `holdpoint audit verify` found.',
    columns: REMEDY,
  },
  limits: {
    title: 'Limits',
    about:
      'The `termination` of a run that a condition of its `stop` ended. Exit code 1, but 0 for `stop_on_tool` and `content_match`.',
    columns: ['code', 'what happened'],
  },
  calls: {
    title: 'What the model is told of a call',
    about: 'The error of a call, which the model reads as `code: message`. The run goes on.',
    columns: ['code', 'what the model is told'],
  },
}

export function errorsDocument(): string {
  // A place that passes on the failures of others has no words of its own; a refusal has a meaning without them.
  const found = findErrors(ROOT).filter(({ group, message }) => group === 'refusals' || /\p{L}/u.test(message))
  const sections = Object.entries(SECTIONS).map(([group, section]) =>
    sectionOf(
      section,
      found.filter(error => error.group === group),
    ),
  )
  return [INTRODUCTION, ...sections].join('\n')
}

function sectionOf({ title, about, columns }: Section, found: readonly FoundError[]): string {
  const byCode = Object.entries(Object.groupBy(found, ({ code }) => code)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rows = byCode.map(([code, same = []]) =>
    [`\`${code}\``, ...meaningOf(code, columns), ...wordsOf(same)].slice(0, columns.length),
  )
  const table = [columns, columns.map(() => '---'), ...rows].map(cells => `| ${cells.map(cell).join(' | ')} |`)
  return `## ${title}\n\n${about}\n\n${table.join('\n')}\n`
}

function meaningOf(code: string, columns: readonly string[]): readonly string[] {
  return columns === REFUSAL ? [(REFUSALS as Readonly<Record<string, string>>)[code] ?? ''] : []
}

function wordsOf(same: readonly FoundError[]): [message: string, hint: string] {
  const [shown] = same.toSorted((a, b) => weight(b, same) - weight(a, same))
  const messages = new Set(same.map(({ message }) => message)).size
  const others = messages > 1 ? ` *(one of several messages)*` : ''
  return [`${shown?.message}${others}`, shown?.hint ?? '']
}

/** Sentences are for people, other texts mostly become part of one. Then what is said most, with what to do. */
function weight({ message, hint }: FoundError, same: readonly FoundError[]): number {
  const isSentence = /\w.*[.)]$/.test(message)
  const times = same.filter(other => other.message === message).length
  return Number(isSentence) * 1000 + times * 2 + Number(hint !== null)
}

function cell(text: string): string {
  return text.replace(/…{2,}/g, '…').replace(/\s+/g, ' ').replaceAll('|', '\\|')
}
