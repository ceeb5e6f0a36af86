import type { ReactElement, ReactNode } from 'react'
import { Section } from '../parts/section.tsx'
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
      <Table
        label="Load by person"
        head={[
          'Person',
          'Decided',
          'An hour',
          'Busiest hour',
          'Half within',
          'Approved',
          'Rejected',
          'In 2 s',
          'Unseen',
        ]}
        rows={people.map(each => ({
          key: each.person,
          cells: [
            <Visible key="name" text={each.person} />,
            each.decided,
            Number(each.per_hour.toFixed(1)),
            each.busiest_hour,
            lengthName(each.seconds_to_decide.median),
            each.approved,
            each.rejected,
            each.approved_within_2s,
            each.approved_unseen,
          ],
        }))}
      />
    </Section>
  )
}

export function ToolTable({ tools, time }: Pick<Report, 'tools'> & Timed): ReactElement {
  const strips = tools.map(({ tool, opened_over_time: counts }) => ({ name: tool ?? NEXT_MESSAGE, counts }))
  return (
    <Section title="By tool">
      <Strips label="Opened over time, by tool" strips={strips} time={time} />
      <Table
        label="Load by tool"
        head={['Tool', 'Opened', 'Half within', 'Nine of ten within', 'Approved', 'Rejected', 'Answered', 'Expired']}
        rows={tools.map(({ tool, opened, seconds_to_decide: times, ...each }) => ({
          key: tool ?? '',
          cells: [
            <Visible key="name" text={tool ?? NEXT_MESSAGE} />,
            opened,
            times === null ? '–' : lengthName(times.median),
            times === null ? '–' : lengthName(times.p90),
            each.approved,
            each.rejected,
            each.answered,
            each.expired,
          ],
        }))}
      />
    </Section>
  )
}

const NEXT_MESSAGE = 'the next message'

interface TableProps {
  readonly label: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}

/** The first column names the row. On a phone it scrolls sideways. */
function Table({ label, head, rows }: TableProps): ReactElement {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line bg-card shadow-card"
    >
      <table className="w-full text-sm">
        <thead>
          <tr className="border-line border-b text-muted text-xs">
            {head.map((name, index) => (
              <th
                key={name}
                scope="col"
                className={`whitespace-nowrap px-4 py-2 font-normal ${index === 0 ? 'text-left' : 'text-right'}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [name, ...rest] }) => (
            <tr key={key} className="border-line border-b last:border-b-0">
              <th scope="row" className="min-w-32 max-w-64 break-words px-4 py-2 text-left font-medium">
                {name}
              </th>
              {rest.map((cell, index) => (
                <td key={head[index + 1]} className="whitespace-nowrap px-4 py-2 text-right tabular-nums">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
