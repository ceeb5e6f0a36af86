import { Fragment, memo, type ReactElement, useMemo } from 'react'
import { visibleParts } from '../../../src/core/text/visible-text.ts'

/** P9: text as it is, with what would hide or turn it set apart as a mark. */
export const Visible = memo(({ text }: { readonly text: string }): ReactElement => {
  const parts = useMemo(() => placed(text), [text])
  return (
    <>
      {parts.map(({ at, text: part, isMark }) =>
        isMark ? (
          <span
            key={at}
            title="Characters that would not be seen"
            className="rounded-sm bg-warn-soft px-0.5 font-medium font-mono text-[0.9em] text-warn [word-break:break-all]"
          >
            {part}
          </span>
        ) : (
          <Fragment key={at}>{part}</Fragment>
        ),
      )}
    </>
  )
})

function placed(text: string) {
  let at = 0
  return visibleParts(text).map(part => {
    const place = at
    at += part.text.length
    return { ...part, at: place }
  })
}
