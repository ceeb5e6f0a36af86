import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Section } from '../parts/section.tsx'
import { LongText } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'
import type { Report } from './report.ts'
import { counted } from './words.ts'

type Rule = Report['rules'][number]

/** Rules replayed over what people were asked. It suggests, and allows nothing. */
export function Rules({ rules }: Pick<Report, 'rules'>): ReactElement {
  return (
    <Section title="Rules that would have spared approvals">
      {rules.length === 0 ? (
        <p className="text-muted text-sm">No rule would have spared several of them.</p>
      ) : (
        <>
          <ul className="grid gap-4">
            {rules.map(rule => (
              <RuleCard key={JSON.stringify([rule.agent, rule.tool, rule.match, rule.arguments])} rule={rule} />
            ))}
          </ul>
          <p className="mt-3 text-muted text-sm">
            Nothing is allowed by this. Operators switch such rules on under{' '}
            <Link href="/grants" className="text-accent underline-offset-4 hover:underline">
              Grants
            </Link>
            , or choose “always allow” with the next approval of such a call.
          </p>
        </>
      )}
    </Section>
  )
}

function RuleCard({ rule }: { readonly rule: Rule }): ReactElement {
  const { agent, tool, match, arguments: exact, spared, of, rejected } = rule
  return (
    <li className="rounded-xl border border-line bg-card p-4 shadow-card">
      <div className="flex items-start gap-3">
        <h3 className="min-w-0 flex-1 break-words font-medium">
          <Visible text={`${tool} of ${agent}`} />
        </h3>
        <Badge look={rejected.length === 0 ? 'good' : 'bad'}>
          {spared} of {counted(of, 'approval')}
        </Badge>
      </div>
      <div className="mt-2 rounded-lg bg-sunken px-3 py-2">
        <LongText text={visibleJson(match ?? exact)} />
      </div>
      {rejected.length > 0 && (
        <div className="mt-2 text-sm">
          <p>It covers what people rejected, too:</p>
          <ul className="mt-1 grid gap-1">
            {rejected.map(({ hold_id, decided_by, reason }) => (
              <li key={hold_id}>
                <Link
                  href={`/holds/${hold_id}`}
                  className="font-mono text-accent text-xs underline-offset-4 hover:underline"
                >
                  {hold_id}
                </Link>{' '}
                <Visible text={`by ${decided_by}${reason === null ? '' : `: ${reason}`}`} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  )
}
