import { type ReactElement, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

interface VirtualListProps<Row extends { readonly id: string }> {
  readonly label: string
  readonly rows: readonly Row[]
  /** Height of each row, in pixels. */
  readonly rowHeight: number
  /** This row is kept in view. */
  readonly cursor: string | null
  readonly onNearEnd: () => void
  readonly children: (row: Row) => ReactNode
}

const MARGIN_ROWS = 6

/**
 * A list of which only the rows in view are drawn.
 * V1  Rows that come or go above what is read do not move it.
 */
export function VirtualList<Row extends { readonly id: string }>(props: VirtualListProps<Row>): ReactElement {
  const { label, rows, rowHeight, cursor, onNearEnd, children } = props
  const box = useRef<HTMLUListElement>(null)
  const { first, last } = useWindow(box, rowHeight)
  useAnchor(box, rows, rowHeight)
  useCursorInView(box, rows, { cursor, rowHeight })
  const isNearEnd = last + MARGIN_ROWS >= rows.length
  useEffect(() => {
    if (isNearEnd) onNearEnd()
  }, [isNearEnd, onNearEnd])
  const from = Math.max(first - MARGIN_ROWS, 0)
  const shown = rows.slice(from, last + MARGIN_ROWS)
  return (
    <ul
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by key
      tabIndex={0}
      aria-label={label}
      className="relative h-full overflow-y-auto overscroll-contain [overflow-anchor:none]"
    >
      <li aria-hidden="true" style={{ height: rows.length * rowHeight }} />
      {shown.map((row, index) => (
        <li
          key={row.id}
          aria-setsize={rows.length}
          aria-posinset={from + index + 1}
          style={{ top: (from + index) * rowHeight, height: rowHeight }}
          className="absolute inset-x-0"
        >
          {children(row)}
        </li>
      ))}
    </ul>
  )
}

type Box = RefObject<HTMLElement | null>

function useWindow(box: Box, rowHeight: number): { readonly first: number; readonly last: number } {
  const [{ first, last }, set] = useState({ first: 0, last: 20 })
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => {
      const [from, to] = [element.scrollTop, element.scrollTop + element.clientHeight]
      const seen = { first: Math.floor(from / rowHeight), last: Math.ceil(to / rowHeight) }
      set(known => (known.first === seen.first && known.last === seen.last ? known : seen))
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [box, rowHeight])
  return { first, last }
}

/** V1: the first row in view stays at its place on the screen. */
function useAnchor(box: Box, rows: readonly { readonly id: string }[], rowHeight: number): void {
  const known = useRef(rows)
  useLayoutEffect(() => {
    const element = box.current
    const before = known.current
    known.current = rows
    if (!element || before === rows || element.scrollTop === 0) return
    const at = Math.floor(element.scrollTop / rowHeight)
    const anchor = before[at]?.id
    const now = rows.findIndex(({ id }) => id === anchor)
    if (now >= 0 && now !== at) element.scrollTop += (now - at) * rowHeight
  }, [box, rows, rowHeight])
}

interface Cursor {
  readonly cursor: string | null
  readonly rowHeight: number
}

function useCursorInView(box: Box, rows: readonly { readonly id: string }[], { cursor, rowHeight }: Cursor): void {
  // Only a move of the cursor scrolls: rows that come and go do not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useLayoutEffect(() => {
    const element = box.current
    const at = rows.findIndex(({ id }) => id === cursor)
    if (!element || at < 0) return
    const [top, bottom] = [at * rowHeight, (at + 1) * rowHeight]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }, [cursor])
}
