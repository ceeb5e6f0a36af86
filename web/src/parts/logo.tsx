import type { ReactElement } from 'react'

export function Logo({ className }: { readonly className?: string }): ReactElement {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="9" className="fill-accent" />
      <path d="M11.5 9.5v13M20.5 9.5v13" strokeWidth="4" strokeLinecap="round" className="stroke-on-accent" />
    </svg>
  )
}
