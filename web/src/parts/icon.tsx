import type { ReactElement } from 'react'

/** Paths in a square of 20. */
const PATHS = {
  check: 'M4 10.5 8 14.5 16 5.5',
  cross: 'M5 5 15 15M15 5 5 15',
  back: 'M12.5 4 6.5 10 12.5 16',
  next: 'M7.5 4 13.5 10 7.5 16',
  lock: 'M6 9V6.5a4 4 0 0 1 8 0V9M4.5 9h11v7.5h-11z',
  clock: 'M10 5.5V10l3 2M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15z',
  question:
    'M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.5v.2M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15z',
  alert: 'M10 3 2.5 16.5h15L10 3zM10 8.5v3.5M10 14.2v.2',
  people:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 16.5c0-3 2-4.5 5-4.5s5 1.5 5 4.5M13 4a3 3 0 0 1 0 5.5M14.5 12.3c2 .5 3 2 3 4.2',
  message: 'M3 4h14v9.5H8.5L5 16.5v-3H3z',
  terminal: 'M4 6l4 4-4 4M10 14.5h6',
  pen: 'M4 16l.8-3.5L13.5 3.8l2.7 2.7L7.5 15.2 4 16z',
  more: 'M4.5 10h.1M10 10h.1M15.5 10h.1',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  infinity: 'M6.5 7a3 3 0 1 0 0 6c2.5 0 4.5-6 7-6a3 3 0 1 1 0 6c-2.5 0-4.5-6-7-6z',
} as const

export type IconName = keyof typeof PATHS

/** An icon next to a word with the same meaning. */
export function Icon({
  name,
  className = 'size-4',
}: {
  readonly name: IconName
  readonly className?: string
}): ReactElement {
  return (
    <svg
      viewBox="0 0 20 20"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.4 : 1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
