import type { Paint, Style } from '../../display/colours.ts'

/** A piece of a line in one style. Its text is visible already. */
export interface Span {
  readonly text: string
  readonly style: Style | null
}

/** A line of the screen: it is cut while it has no colours yet. */
export type Line = readonly Span[]

export function line(text: string, style: Style | null = null): Line {
  return [{ text, style }]
}

export function lineText(spans: Line): string {
  return spans.map(({ text }) => text).join('')
}

export function painted(spans: Line, paint: Paint): string {
  return spans.map(({ text, style }) => (style === null || text === '' ? text : paint(style, text))).join('')
}
