import { memo, type ReactElement, useMemo } from 'react'
import { Visible } from './visible.tsx'

const LINES_PER_CHUNK = 200
const LINE_REM = 1.25

/** A text in full, however long: what is out of view costs no layout. The page scrolls, nothing scrolls within it. */
export const LongText = memo(({ text }: { readonly text: string }): ReactElement => {
  const chunks = useMemo(() => chunksOf(text), [text])
  return (
    <pre
      dir="ltr"
      className="whitespace-pre-wrap break-words font-mono text-[0.8125rem] leading-5 [overflow-wrap:anywhere] [tab-size:4]"
    >
      {chunks.length === 1 ? <Visible text={text} /> : chunks.map(each => <Chunk key={each.at} {...each} />)}
    </pre>
  )
})

function Chunk({ text, lines }: TextChunk): ReactElement {
  return (
    <div style={{ containIntrinsicHeight: `auto ${lines * LINE_REM}rem` }} className="[content-visibility:auto]">
      <Visible text={text} />
    </div>
  )
}

interface TextChunk {
  readonly at: number
  readonly text: string
  readonly lines: number
}

function chunksOf(text: string): readonly TextChunk[] {
  const lines = text.split('\n')
  if (lines.length <= LINES_PER_CHUNK * 2) return [{ at: 0, text, lines: lines.length }]
  return Array.from({ length: Math.ceil(lines.length / LINES_PER_CHUNK) }, (_, chunk) => {
    const at = chunk * LINES_PER_CHUNK
    const inside = lines.slice(at, at + LINES_PER_CHUNK)
    return { at, text: inside.join('\n'), lines: inside.length }
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
