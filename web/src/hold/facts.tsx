import { type ReactElement, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { HoldView, Json } from '../api/documents.ts'
import { localTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { Standing } from './card-head.tsx'

interface FactsProps {
  readonly hold: HoldView
  readonly search: string
}

/** All else that helps to decide: the rule, who may, until when, and what stands beside it. */
export function Facts({ hold, search }: FactsProps): ReactElement {
  const { because, who_may_decide, approvals, votes, at_deadline, deadline_effect, due_at } = hold
  const { siblings, earlier_answers, status } = hold
  return (
    <dl className="grid gap-x-6 gap-y-3 border-line border-t pt-5 text-sm sm:grid-cols-[9rem_minmax(0,1fr)]">
      {because !== null && (
        <Fact name="Why it asks">
          <Visible text={because.rule} />
          {because.plugin !== null && <span className="text-muted"> (plugin {because.plugin})</span>}
        </Fact>
      )}
      <Fact name="Who may decide">
        <Visible text={who_may_decide} />
      </Fact>
      {approvals.need > 1 && (
        <Fact name="Approvals">
          {approvals.have} of {approvals.need}
          {votes.length > 0 && <span className="text-muted">: {votes.map(vote => vote.decided_by).join(', ')}</span>}
        </Fact>
      )}
      {at_deadline !== null && (
        <Fact name="Deadline">{due_at === null ? at_deadline : `${localTime(due_at)}: then ${deadline_effect}`}</Fact>
      )}
      {siblings.length > 0 && (
        <Fact name="Asked together">
          <Siblings siblings={siblings} search={search} />
        </Fact>
      )}
      {earlier_answers.length > 0 && (
        <Fact name="Answered before">
          <ul className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
            {earlier_answers.map(({ hold_id, question, answer, answered_by }) => (
              <li key={hold_id}>
                <Visible text={question} /> <span className="text-muted">{answered_by}:</span>{' '}
                <Visible text={textOf(answer)} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
      <Fact name="Run">
        <span className="break-all font-mono text-xs">{hold.run_id}</span>
        {status === 'open' && <span className="text-muted"> waits for this</span>}
        <span className="mt-1 flex gap-4">
          <Go to={`/threads/${hold.thread_id}`}>Conversation</Go>
          <Go to={`/runs/${hold.run_id}`}>Timeline</Go>
        </span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="contents">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words max-sm:-mt-2">{children}</dd>
    </div>
  )
}

function Go({ to, children }: { readonly to: string; readonly children: string }): ReactElement {
  return (
    <Link href={to} className="text-accent underline-offset-4 hover:underline">
      {children}
    </Link>
  )
}

/** More of them are behind a button: hundreds may be asked together. */
const MOST_SIBLINGS = 20

interface SiblingsProps {
  readonly siblings: HoldView['siblings']
  readonly search: string
}

function Siblings({ siblings, search }: SiblingsProps): ReactElement {
  const [most, setMost] = useState(MOST_SIBLINGS)
  return (
    <>
      <ul className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
        {siblings.slice(0, most).map(each => (
          <Sibling key={each.call_id} sibling={each} search={search} />
        ))}
      </ul>
      {siblings.length > most && (
        <button
          type="button"
          onClick={() => setMost(siblings.length)}
          className="mt-1 min-h-9 text-accent underline-offset-4 hover:underline"
        >
          All {siblings.length.toLocaleString('en')}
        </button>
      )}
    </>
  )
}

interface SiblingProps {
  readonly sibling: HoldView['siblings'][number]
  readonly search: string
}

function Sibling({ sibling: { tool, arguments: args, status, hold_id }, search }: SiblingProps): ReactElement {
  const line = (
    <span className="flex min-w-0 items-baseline gap-2 overflow-hidden">
      <span className="font-medium">{tool}</span>
      <span className="truncate font-mono text-muted text-xs">
        <Visible text={textOf(args)} />
      </span>
    </span>
  )
  return (
    <li className="flex min-w-0 items-baseline gap-2">
      <Standing status={status} />
      {hold_id === null ? (
        line
      ) : (
        <Link
          href={`/holds/${hold_id}${search}`}
          className="min-w-0 overflow-hidden rounded underline-offset-4 hover:underline"
        >
          {line}
        </Link>
      )}
    </li>
  )
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
