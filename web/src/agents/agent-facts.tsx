import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { localTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import type { Agent } from './data/agent-groups.ts'

/** What it was started for, who is attached, and the ways to its run and its process. */
export function AgentFacts({ agent }: { readonly agent: Agent }): ReactElement {
  const { id, agent: definition, name, title, created_at, run_id, parent_run_id, ...rest } = agent
  const { writer, clients, queued } = rest
  return (
    <div className="mb-6 border-line border-b pb-4">
      {name !== null && title !== '' && (
        <p className="mb-1.5 font-medium [overflow-wrap:anywhere]" dir="auto">
          <Visible text={title} />
        </p>
      )}
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
        {definition !== null && <li>{definition}</li>}
        <li>
          since <time dateTime={created_at}>{localTime(created_at)}</time>
        </li>
        {writer !== null && <li>{visibleLine(writer)} writes in a terminal</li>}
        {clients > 0 && <li>{clients} attached</li>}
        {queued > 0 && <li>{queued === 1 ? '1 message waits' : `${queued} messages wait`}</li>}
        <li className="break-all font-mono">{placeOf(agent)}</li>
      </ul>
      <p className="mt-1.5 flex flex-wrap gap-x-5 text-sm">
        {run_id !== null && <Go to={`/runs/${run_id}`}>Timeline</Go>}
        <Go to={`/tasks/${id}`}>Process</Go>
        {parent_run_id !== null && <Go to={`/runs/${parent_run_id}`}>The run that started it</Go>}
      </p>
    </div>
  )
}

/** Its directory, or its branch; behind its host, if hosts share the store. */
function placeOf({ host, worktree, workdir }: Agent): string {
  const place = worktree === null ? workdir : `branch ${worktree.branch}`
  return visibleLine(host === null ? place : `${host}: ${place}`)
}

function Go({ to, children }: { readonly to: string; readonly children: string }): ReactElement {
  return (
    <Link href={to} className="inline-flex min-h-8 items-center text-accent underline-offset-4 hover:underline">
      {children}
    </Link>
  )
}
