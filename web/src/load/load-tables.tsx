import type { ReactElement } from 'react'
import { Section } from '../parts/section.tsx'
import { DataTable } from '../text/data-table.tsx'
import { Visible } from '../text/visible.tsx'
import type { Report } from './report.ts'
import { Strips } from './strips.tsx'
import { lengthName } from './words.ts'

interface Timed {
  readonly time: Report['over_time']
}

export function PeopleTable({ people, time }: Pick<Report, 'people'> & Timed): ReactElement {
  const strips = people.map(({ person, decided_over_time: counts }) => ({ name: person, counts }))
  return (
    <Section title="By person">
      <Strips label="Decisions over time, by person" strips={strips} time={time} />
      <DataTable
        isOfNumbers
        label="Load by person"
        head={[
          'Person',
          'Decided',
          'Per hour',
          'Busiest hour',
          'Median time',
          'Approved',
          'Rejected',
          'Approved within 2 s',
          'Approved unseen',
        ]}
        rows={people.map(each => [
          <Visible key="name" text={each.person} />,
          each.decided,
          Number(each.per_hour.toFixed(1)),
          each.busiest_hour,
          lengthName(each.seconds_to_decide.median),
          each.approved,
          each.rejected,
          each.approved_within_2s,
          each.approved_unseen,
        ])}
      />
    </Section>
  )
}

export function ToolTable({ tools, time }: Pick<Report, 'tools'> & Timed): ReactElement {
  const strips = tools.map(({ tool, opened_over_time: counts }) => ({ name: tool ?? NEXT_MESSAGE, counts }))
  return (
    <Section title="By tool">
      <Strips label="Opened over time, by tool" strips={strips} time={time} />
      <DataTable
        isOfNumbers
        label="Load by tool"
        head={['Tool', 'Opened', 'Median time', '90% within', 'Approved', 'Rejected', 'Answered', 'Expired']}
        rows={tools.map(({ tool, opened, seconds_to_decide: times, ...each }) => [
          <Visible key="name" text={tool ?? NEXT_MESSAGE} />,
          opened,
          times === null ? '–' : lengthName(times.median),
          times === null ? '–' : lengthName(times.p90),
          each.approved,
          each.rejected,
          each.answered,
          each.expired,
        ])}
      />
    </Section>
  )
}

const NEXT_MESSAGE = 'the next message'
