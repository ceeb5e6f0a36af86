import { type ReactElement, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { callAct } from '../../../src/core/hold-view/blocks/act-words.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import type { HoldView, Json } from '../api/documents.ts'
import { localTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { Standing } from './card-head.tsx'

interface FactsProps {
  readonly hold: HoldView
  readonly search: string
}

/** All other facts for the decision: the rule, the approvers, the deadline, and the calls asked together. */
export function Facts({ hold, search }: FactsProps): ReactElement {
  const { because, who_may_decide, approvals, votes, at_deadline, deadline_effect, due_at } = hold
  const { siblings, earlier_answers } = hold
  const isQuiet = hold.risk === 'ordinary'
  return (
    <dl className="grid gap-x-6 gap-y-3 border-line border-t pt-5 text-sm sm:grid-cols-[9rem_minmax(0,1fr)]">
      {because !== null && !isQuiet && (
        <Fact name="Why it asks">
          <Visible text={because.rule} />
          {because.plugin !== null && <span className="text-muted"> (plugin {because.plugin})</span>}
        </Fact>
      )}
      {!isQuiet && (
        <Fact name="Who may decide">
          <Visible text={who_may_decide} />
        </Fact>
      )}
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
          <DecideTogether hold={hold} />
        </Fact>
      )}
      {earlier_answers.length > 0 && (
        <Fact name="Answered before">
          <EarlierAnswers answers={earlier_answers} />
        </Fact>
      )}
      {isQuiet ? (
        <QuietLine hold={hold} />
      ) : (
        <Fact name="Run">
          <RunLinks hold={hold} />
        </Fact>
      )}
    </dl>
  )
}

/** An ordinary hold: the rule, the deciders and the ways on, in one line. */
function QuietLine({
  hold: { because, who_may_decide, run_id, thread_id },
}: {
  readonly hold: HoldView
}): ReactElement {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 text-muted sm:col-span-2">
      <dt className="sr-only">Rule, deciders and run</dt>
      <dd className="contents">
        <span className="min-w-0 break-words">
          {because !== null && (
            <>
              <Visible text={because.rule} /> ·{' '}
            </>
          )}
          <Visible text={who_may_decide} />
        </span>
        <Go to={`/threads/${thread_id}`}>Conversation</Go>
        <Go to={`/runs/${run_id}`}>Timeline</Go>
      </dd>
    </div>
  )
}

/** The calls of one answer of the agent, on one page with a mark each. */
function DecideTogether({
  hold: { id, status, siblings, siblings_before },
}: {
  readonly hold: HoldView
}): ReactElement | null {
  const waiting = siblings.map(each => (each.status === 'suspended' ? each.hold_id : null))
  const ids = waiting.toSpliced(siblings_before, 0, id).filter(each => each !== null)
  if (status !== 'open' || ids.length < 2) return null
  return (
    <p className="mt-1.5">
      <Go to={`/together?holds=${ids.join(',')}`}>{`Decide these ${ids.length} together`}</Go>
    </p>
  )
}

function RunLinks({ hold }: { readonly hold: HoldView }): ReactElement {
  return (
    <>
      <span className="break-all font-mono text-xs">{hold.run_id}</span>
      {hold.status === 'open' && <span className="text-muted"> waits for this</span>}
      <span className="mt-1 flex gap-4">
        <Go to={`/threads/${hold.thread_id}`}>Conversation</Go>
        <Go to={`/runs/${hold.run_id}`}>Timeline</Go>
      </span>
    </>
  )
}

function EarlierAnswers({ answers }: { readonly answers: HoldView['earlier_answers'] }): ReactElement {
  return (
    <ul className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      {answers.map(({ hold_id, question, answer, answered_by }) => (
        <li key={hold_id}>
          <Visible text={question} /> <span className="text-muted">{answered_by}:</span>{' '}
          <Visible text={textOf(answer)} />
        </li>
      ))}
    </ul>
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

/** A button shows the others: hundreds may be asked together. */
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

function Sibling({ sibling, search }: SiblingProps): ReactElement {
  const { tool, arguments: args, hold_id } = sibling
  const act = callAct(tool, args)
  const line = (
    <span className="flex min-w-0 items-baseline gap-2 overflow-hidden">
      <span className="truncate" dir="auto" title={act}>
        {act}
      </span>
      {!act.includes(tool) && <span className="shrink-0 font-mono text-muted text-xs">{visibleLine(tool)}</span>}
    </span>
  )
  return (
    <li className="flex min-w-0 items-baseline gap-2">
      <Standing sibling={sibling} />
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

/** A command says by itself what it does. */

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
