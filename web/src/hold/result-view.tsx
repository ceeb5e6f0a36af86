import type { ReactElement } from 'react'
import { endLine, type ResultTone, resultLine, stuckLine } from '../../../src/core/hold-view/hold-result.ts'
import { durationText } from '../../../src/core/text/duration-text.ts'
import type { HoldView } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { useNow } from '../parts/time.tsx'
import { LongText } from '../text/long-text.tsx'
import { Prose } from '../text/prose.tsx'
import { Visible } from '../text/visible.tsx'
import { RunEffects } from './run-effects.tsx'
import type { LiveHold } from './use-live-hold.ts'

const LOOKS: Readonly<Record<ResultTone, string>> = { good: 'text-good', bad: 'font-semibold text-bad', plain: '' }

const SILENT: LiveHold = { printed: '', said: '' }

interface ResultViewProps {
  readonly hold: HoldView
  readonly live?: LiveHold
}

/** What the decision led to: the card of a decided hold lives on. Nothing is shown before a decision. */
export function ResultView({ hold, live = SILENT }: ResultViewProps): ReactElement | null {
  const { result, decision } = hold
  if (result === null || decision === null) return null
  const { output, output_is_cut, said_next, termination, stuck, ended_at, started_at } = result
  const told = [resultLine(result, decision.verdict), stuck && stuckLine(stuck), termination && endLine(termination)]
  const lines = told.flatMap(line => line ?? [])
  if (lines.length === 0 && said_next === null && live.said === '') return null
  const isRunning = ended_at === null && started_at !== null
  return (
    <Section title="What came of it">
      <div role="status" className="grid gap-3">
        {lines.map(({ tone, text }, place) => (
          <p key={text} className={`break-words ${LOOKS[tone]}`}>
            <Visible text={text} />
            {isRunning && place === 0 && <Elapsed from={started_at} />}
          </p>
        ))}
      </div>
      <Output text={output ?? live.printed} isCut={output_is_cut} />
      <Said text={said_next ?? live.said} />
      <RunEffects hold={hold} />
    </Section>
  )
}

function Elapsed({ from }: { readonly from: string }): ReactElement {
  const ms = Math.max(0, useNow() - Date.parse(from))
  return <span className="ml-2 text-muted tabular-nums">{durationText(ms)}</span>
}

/** What the call printed, also while it runs. */
function Output({ text, isCut }: { readonly text: string; readonly isCut: boolean }): ReactElement | null {
  if (text === '') return null
  return (
    <div className="mt-3 rounded-lg border border-line bg-sunken px-3 py-2">
      {isCut && <p className="text-muted text-xs">The end of its output</p>}
      <LongText text={text} />
    </div>
  )
}

function Said({ text }: { readonly text: string }): ReactElement | null {
  if (text === '') return null
  return (
    <blockquote className="mt-3 border-line border-l-3 pl-4">
      <p className="text-muted text-xs">The agent said next</p>
      <div className="mt-0.5">
        <Prose text={text} />
      </div>
    </blockquote>
  )
}
