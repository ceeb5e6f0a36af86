import { memo, type ReactElement, useMemo } from 'react'
import type { Look } from './colours/looks-of.ts'
import { NO_LOOKS, placedParts } from './placed-parts.ts'

interface VisibleProps {
  readonly text: string
  /** In order, and none over another. Keep the same array while the text is the same. */
  readonly looks?: readonly Look[] | undefined
}

/** P9: text as it is. What would hide or turn it, and letters that look like others, are set apart as marks. */
export const Visible = memo(({ text, looks = NO_LOOKS }: VisibleProps): ReactElement => {
  const parts = useMemo(() => placedParts(text, looks), [text, looks])
  return (
    <>
      {parts.map(({ at, text: part, mark, look }) =>
        mark === null && look === null ? (
          part
        ) : (
          <span key={at} className={look ?? undefined} {...(mark === null ? {} : MARKS[mark])}>
            {part}
          </span>
        ),
      )}
    </>
  )
})

const MARKS = {
  hidden: {
    title: 'Characters that would not be seen',
    className: 'rounded-sm bg-warn-soft px-0.5 font-medium font-mono text-[0.9em] text-warn [word-break:break-all]',
  },
  alike: {
    title: 'It only looks like another letter',
    className: 'rounded-sm bg-warn-soft font-bold text-warn underline decoration-2 decoration-wavy underline-offset-2',
  },
} as const
