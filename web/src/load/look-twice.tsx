import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { Section } from '../parts/section.tsx'
import type { Report } from './report.ts'

type Noteworthy = Report['expired_unseen']

const MOST_LINKS = 5

/** Holds that ask for a second look. Nothing is shown if there are none. */
export function LookTwice({ report }: { readonly report: Report }): ReactElement | null {
  const all: readonly (readonly [what: string, found: Noteworthy])[] = [
    ['expired, and no person was shown them', report.expired_unseen],
    ['approved within 2 seconds of being shown', report.approved_within_2s],
    ['approved without their end in view', report.approved_not_to_the_end],
    ['approved by a person to whom Holdpoint did not show them', report.approved_unseen],
  ]
  const found = all.filter(([, { count }]) => count > 0)
  if (found.length === 0) return null
  return (
    <Section title="Look twice">
      <ul className="grid gap-3 rounded-xl border border-line bg-card p-4 shadow-card">
        {found.map(([what, { count, hold_ids }]) => (
          <li key={what}>
            <p>
              <strong className="font-semibold tabular-nums">{count.toLocaleString('en')}</strong> {what}
            </p>
            <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm">
              {hold_ids
                .slice(-MOST_LINKS)
                .toReversed()
                .map(id => (
                  <Link
                    key={id}
                    href={`/holds/${id}`}
                    className="py-1 font-mono text-accent text-xs underline-offset-4 hover:underline"
                  >
                    {id}
                  </Link>
                ))}
              {count > MOST_LINKS && <span className="py-1 text-muted text-xs">the newest of them</span>}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  )
}
