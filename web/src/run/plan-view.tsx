import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { type PlanStep, planSummary } from '../../../src/core/plan/plan.ts'
import { get } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { Visible } from '../text/visible.tsx'

interface PlanProps {
  readonly runId: string
  /** It is read again whenever this changes. */
  readonly after: number
}

/** The list of steps that the agent keeps for itself; nothing if it keeps none. */
export function PlanView({ runId, after }: PlanProps): ReactElement | null {
  const { data } = useQuery({
    queryKey: ['plan', runId, after],
    queryFn: ({ signal }) => get<Documents['Run']>(`/v1/runs/${runId}`, {}, signal),
    placeholderData: keepPreviousData,
  })
  const plan = data?.plan ?? null
  if (plan === null) return null
  return (
    <div className="mb-6">
      <Section title={`Plan: ${planSummary(plan)}`}>
        <ol className="grid gap-1.5 text-sm">
          {plan.map(({ step, state }) => (
            <li key={step} className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3">
              <span className={LOOKS[state]}>{NAMES[state]}</span>
              <span className={`break-words ${state === 'in_progress' ? 'font-semibold' : ''}`} dir="auto">
                <Visible text={step} />
              </span>
            </li>
          ))}
        </ol>
      </Section>
    </div>
  )
}

const NAMES: Readonly<Record<PlanStep['state'], string>> = {
  done: '✓ done',
  in_progress: '▸ now',
  pending: '· to do',
  dropped: '– dropped',
}

const LOOKS: Readonly<Record<PlanStep['state'], string>> = {
  done: 'text-good',
  in_progress: 'text-accent',
  pending: 'text-muted',
  dropped: 'text-muted',
}
