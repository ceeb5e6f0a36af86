import type { ReactElement } from 'react'
import { endLine, type ResultTone, resultLine, stuckLine } from '../../../src/core/hold-view/hold-result.ts'
import type { HoldView } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { LongText } from '../text/long-text.tsx'
import { Prose } from '../text/prose.tsx'
import { Visible } from '../text/visible.tsx'

const LOOKS: Readonly<Record<ResultTone, string>> = { good: 'text-good', bad: 'font-semibold text-bad', plain: '' }

/** What the decision led to: the card of a decided hold lives on. Nothing is shown before a decision. */
export function ResultView({ hold: { result, decision } }: { readonly hold: HoldView }): ReactElement | null {
  if (result === null || decision === null) return null
  const { output, output_is_cut, said_next, termination, stuck } = result
  const told = [resultLine(result, decision.verdict), stuck && stuckLine(stuck), termination && endLine(termination)]
  const lines = told.flatMap(line => line ?? [])
  if (lines.length === 0 && said_next === null) return null
  return (
    <Section title="What came of it">
      <div role="status" className="grid gap-3">
        {lines.map(({ tone, text }) => (
          <p key={text} className={`break-words ${LOOKS[tone]}`}>
            <Visible text={text} />
          </p>
        ))}
        {output !== null && output !== '' && (
          <div className="rounded-lg border border-line bg-sunken px-3 py-2">
            {output_is_cut && <p className="text-muted text-xs">The end of its output</p>}
            <LongText text={output} />
          </div>
        )}
        {said_next !== null && (
          <blockquote className="border-line border-l-3 pl-4">
            <p className="text-muted text-xs">The agent said next</p>
            <div className="mt-0.5">
              <Prose text={said_next} />
            </div>
          </blockquote>
        )}
      </div>
    </Section>
  )
}
