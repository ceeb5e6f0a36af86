import { memo, type ReactElement, useMemo } from 'react'
import type { ColourSpan } from './colours/colour-span.ts'
import { languageOfPath } from './colours/language-of.ts'
import { looksOf } from './colours/looks-of.ts'
import { useColours } from './colours/use-colours.ts'
import { diffColours } from './diff-colours.ts'
import { type DiffLine, numberedLines } from './diff-lines.ts'
import { Visible } from './visible.tsx'

interface DiffTextProps {
  readonly diff: string
  /** Of the file: its end says the language. */
  readonly path: string
}

/** A unified diff in full. Each line keeps its sign: no meaning hangs on a colour. */
export function DiffText({ diff, path }: DiffTextProps): ReactElement {
  const language = languageOfPath(path)
  const lines = useMemo(() => numberedLines(diff), [diff])
  const colours = useColours(diff, language, diffColours)
  if (diff === '') return <p className="text-muted text-sm">Nothing changes.</p>
  return (
    <pre
      dir="ltr"
      className="overflow-hidden rounded-lg border border-line bg-card py-1 font-mono text-[0.8125rem] leading-5 [tab-size:4]"
    >
      {lines.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a hold never change
        <Line key={place} of={line} isCode={language !== null} colours={colours?.[place]} />
      ))}
    </pre>
  )
}

interface LineProps {
  readonly of: DiffLine
  /** Code has its own colours: a change has those of its sign, its mark and its ground. */
  readonly isCode: boolean
  readonly colours: readonly ColourSpan[] | undefined
}

const Line = memo(({ of: { line, number, changed }, isCode, colours = NO_COLOURS }: LineProps): ReactElement => {
  const { ground, letters } = LOOKS[line[0] ?? ''] ?? PLAIN
  const looks = useMemo(() => {
    const sign = { from: 0, to: 1, className: letters }
    const change = changed && { ...changed, className: `${letters} ${CHANGED}` }
    return looksOf(colours, change ? [sign, change] : [sign])
  }, [colours, changed, letters])
  return (
    <span
      className={`flex min-h-5 [content-visibility:auto] [contain-intrinsic-size:auto_1.25rem] ${ground} ${isCode && ground !== '' ? '' : letters}`}
    >
      <span aria-hidden="true" className="w-11 shrink-0 select-none pr-2 text-right text-muted">
        {number}
      </span>
      <span className="min-w-0 whitespace-pre-wrap break-words pr-3 [overflow-wrap:anywhere]">
        <Visible text={line} looks={looks} />
      </span>
    </span>
  )
})

const NO_COLOURS: readonly ColourSpan[] = []
const CHANGED = 'rounded-xs underline decoration-2 underline-offset-2'

interface LineLook {
  readonly ground: string
  readonly letters: string
}

const PLAIN: LineLook = { ground: '', letters: '' }
const HEAD: LineLook = { ground: '', letters: 'text-muted' }
const LOOKS: Readonly<Record<string, LineLook>> = {
  '+': { ground: 'bg-good-soft', letters: 'text-good' },
  '-': { ground: 'bg-bad-soft', letters: 'text-bad' },
  '@': HEAD,
  '\\': HEAD,
}
