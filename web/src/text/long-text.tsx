import { memo, type ReactElement, useMemo } from 'react'
import { type ColourSpan, spansBetween } from './colours/colour-span.ts'
import type { Language } from './colours/language-of.ts'
import { looksOf } from './colours/looks-of.ts'
import { useColours } from './colours/use-colours.ts'
import { Visible } from './visible.tsx'

const LINES_PER_CHUNK = 200
const LINE_REM = 1.25

interface LongTextProps {
  readonly text: string
  /** Of code. `null` of any other text. */
  readonly language?: Language | null
}

/** A text in full, however long: what is out of view costs no layout. The page scrolls, nothing scrolls within it. */
export const LongText = memo(({ text, language = null }: LongTextProps): ReactElement => {
  const chunks = useMemo(() => chunksOf(text), [text])
  const spans = useColours(text, language, spansOf)
  return (
    <pre
      dir="ltr"
      className="whitespace-pre-wrap break-words font-mono text-[0.8125rem] leading-5 [overflow-wrap:anywhere] [tab-size:4]"
    >
      {chunks.map(chunk =>
        chunks.length === 1 ? (
          <ChunkText key={chunk.from} {...chunk} spans={spans} />
        ) : (
          <div
            key={chunk.from}
            style={{ containIntrinsicHeight: `auto ${chunk.lines * LINE_REM}rem` }}
            className="[content-visibility:auto]"
          >
            <ChunkText {...chunk} spans={spans} />
          </div>
        ),
      )}
    </pre>
  )
})

type Spans = readonly ColourSpan[]

function spansOf(text: string, highlight: (text: string) => Spans): Spans {
  return highlight(text)
}

function ChunkText({ text, from, spans }: TextChunk & { readonly spans: Spans | null }): ReactElement {
  const looks = useMemo(() => spans && looksOf(spansBetween(spans, from, from + text.length)), [spans, from, text])
  return <Visible text={text} looks={looks ?? undefined} />
}

interface TextChunk {
  /** The place of its first character. */
  readonly from: number
  readonly text: string
  readonly lines: number
}

function chunksOf(text: string): readonly TextChunk[] {
  const lines = text.split('\n')
  if (lines.length <= LINES_PER_CHUNK * 2) return [{ from: 0, text, lines: lines.length }]
  let from = 0
  return Array.from({ length: Math.ceil(lines.length / LINES_PER_CHUNK) }, (_, chunk) => {
    const inside = lines.slice(chunk * LINES_PER_CHUNK, (chunk + 1) * LINES_PER_CHUNK)
    const piece = { from, text: inside.join('\n'), lines: inside.length }
    from += piece.text.length + 1
    return piece
  })
}

/** `10,000 lines, 2.1 MB`; `null` for a text that is seen at a glance. */
export function sizeOf(text: string): string | null {
  const lines = text.split('\n').length
  if (lines <= GLANCE_LINES && text.length * MOST_BYTES_EACH <= GLANCE_BYTES) return null
  const bytes = new TextEncoder().encode(text).length
  if (lines <= GLANCE_LINES && bytes <= GLANCE_BYTES) return null
  return `${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}, ${bytesText(bytes)}`
}

const GLANCE_LINES = 25
const GLANCE_BYTES = 2_000
/** UTF-8 of a code unit. */
const MOST_BYTES_EACH = 3
const KB = 1_000

function bytesText(bytes: number): string {
  if (bytes < KB) return `${bytes} bytes`
  return bytes < KB * KB ? `${Math.round(bytes / KB)} KB` : `${(bytes / KB / KB).toFixed(1)} MB`
}
