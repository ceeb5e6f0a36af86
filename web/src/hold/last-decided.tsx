import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { type ResultTone, resultLine, stuckLine } from '../../../src/core/hold-view/hold-result.ts'
import type { HoldView } from '../api/documents.ts'
import { sharedValue, useShared } from '../api/shared-value.ts'
import { Visible } from '../text/visible.tsx'
import { useHold } from './use-hold.ts'

/** The hold that was decided before the page opened the next one. */
export const lastDecided = sharedValue<string | null>(null)

interface LastDecidedProps {
  readonly open: string | null
  readonly search: string
}

/** What came of the last decision stays in view while the next card is read. */
export function LastDecided({ open, search }: LastDecidedProps): ReactElement | null {
  const id = useShared(lastDecided)
  return id === null || id === open ? null : <Last id={id} search={search} />
}

const LOOKS: Readonly<Record<ResultTone, string>> = { good: 'text-good', bad: 'font-semibold text-bad', plain: '' }

function Last({ id, search }: { readonly id: string; readonly search: string }): ReactElement | null {
  const { data: hold } = useHold(id)
  if (!hold) return null
  const line = outcomeOf(hold)
  return (
    <div role="status" className="border-line border-t bg-sunken px-4 py-2 text-sm">
      <Link href={`/holds/${id}${search}`} className="block truncate font-medium underline-offset-4 hover:underline">
        <Visible text={hold.title} />
      </Link>
      <p className={`truncate ${LOOKS[line.tone]}`}>
        <Visible text={line.text} />
      </p>
    </div>
  )
}

function outcomeOf({ result, decision }: HoldView): { readonly tone: ResultTone; readonly text: string } {
  const line = result?.stuck ? stuckLine(result.stuck) : result && decision && resultLine(result, decision.verdict)
  return line ?? { tone: 'plain', text: 'Your decision is on record.' }
}
