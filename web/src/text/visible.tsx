import { Fragment, memo, type ReactElement, useMemo } from 'react'
import { lookAlikeParts } from '../../../src/core/hold-view/blocks/look-alikes.ts'
import { visibleParts } from '../../../src/core/text/visible-text.ts'

/** P9: text as it is. What would hide or turn it, and letters that look like others, are set apart as marks. */
export const Visible = memo(({ text }: { readonly text: string }): ReactElement => {
  const parts = useMemo(() => placed(text), [text])
  return (
    <>
      {parts.map(({ at, text: part, mark }) =>
        mark === null ? (
          <Fragment key={at}>{part}</Fragment>
        ) : (
          <span key={at} {...MARKS[mark]}>
            {part}
          </span>
        ),
      )}
    </>
  )
})

type Mark = 'hidden' | 'alike'

const MARKS: Readonly<Record<Mark, { readonly title: string; readonly className: string }>> = {
  hidden: {
    title: 'Characters that would not be seen',
    className: 'rounded-sm bg-warn-soft px-0.5 font-medium font-mono text-[0.9em] text-warn [word-break:break-all]',
  },
  alike: {
    title: 'It only looks like another letter',
    className: 'rounded-sm bg-warn-soft font-bold text-warn underline decoration-2 decoration-wavy underline-offset-2',
  },
}

interface PlacedPart {
  readonly at: number
  readonly text: string
  readonly mark: Mark | null
}

function placed(text: string): readonly PlacedPart[] {
  let at = 0
  return visibleParts(text)
    .flatMap(part => (part.isMark ? [{ text: part.text, mark: 'hidden' as const }] : alikeParts(part.text)))
    .map(part => {
      const place = at
      at += part.text.length
      return { ...part, at: place }
    })
}

function alikeParts(text: string): readonly Omit<PlacedPart, 'at'>[] {
  return lookAlikeParts(text).map(part => ({ text: part.text, mark: part.isMark ? ('alike' as const) : null }))
}
