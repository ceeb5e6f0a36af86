import type { ReactElement, ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  /** Next to the title: a size, a count. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, aside, children }: SectionProps): ReactElement {
  return (
    <section>
      <div className="mb-2 flex items-baseline gap-3">
        <h2 className="font-semibold text-sm">{title}</h2>
        {aside && <div className="ml-auto whitespace-nowrap text-muted text-xs">{aside}</div>}
      </div>
      {children}
    </section>
  )
}
