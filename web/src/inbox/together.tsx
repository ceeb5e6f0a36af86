import type { ReactElement } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { HoldRow } from '../api/documents.ts'
import { Button } from '../parts/button.tsx'
import { alikeTo } from './selection.ts'

interface TogetherProps {
  /** All rows, and the selected ones. */
  readonly all: readonly HoldRow[]
  readonly rows: readonly HoldRow[]
  readonly onChoose: (ids: readonly string[]) => void
  readonly onDone: () => void
}

/** The way to decide several at once, each of which is then shown in full. */
export function Together({ all, rows, onChoose, onDone }: TogetherProps): ReactElement | null {
  const [first] = rows
  if (!first) return null
  const alike = alikeTo(first, all)
  const more = alike.filter(id => !rows.some(row => row.id === id)).length
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-t bg-sunken p-3">
      <Button look="primary" onClick={() => navigate(`/together?holds=${rows.map(({ id }) => id).join(',')}`)}>
        Look at {rows.length === 1 ? 'it' : `all ${rows.length}`}
      </Button>
      {more > 0 && <Button onClick={() => onChoose(alike)}>{more} more like this</Button>}
      <Button look="quiet" onClick={onDone}>
        Clear
      </Button>
    </div>
  )
}
