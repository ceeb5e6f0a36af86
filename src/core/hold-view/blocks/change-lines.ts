import { visibleLine } from '../../text/visible-text.ts'

/**
 * One visible line: a place in the arguments, its value before, its value now, a command, a warning, words of an agent,
 * a choice, or a note.
 */
export interface ChangeLine {
  readonly what: 'place' | 'was' | 'is' | 'command' | 'bad' | 'warn' | 'prose' | 'choice' | 'note'
  readonly text: string
}

/** The hunks of a unified diff. */
export function diffLines(diff: string): ChangeLine[] {
  return linesOf(diff).map(line => ({ what: MARKS[line.charAt(0)] ?? 'note', text: visibleWithTabs(line) }))
}

const MARKS: Readonly<Record<string, ChangeLine['what']>> = { '+': 'is', '-': 'was', '@': 'place' }

/** The end of the last line is no line. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}

/** A tab is layout within a line. */
export function visibleWithTabs(line: string): string {
  return line.split('\t').map(visibleLine).join('\t')
}
