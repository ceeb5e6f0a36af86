import type { ReactElement, ReactNode } from 'react'
import { Link } from 'wouter'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { Icon } from '../parts/icon.tsx'
import { EndsIn } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { AgentBadge } from './agent-badge.tsx'
import { type Agent, calledAs } from './data/agent-groups.ts'

interface HeadProps {
  readonly agent: Agent
  /** Of the list. */
  readonly back: string
  readonly actions: ReactNode
}

/** How it stands and why, and what can be done with it. It stays in view above the conversation. */
export function AgentHead({ agent, back, actions }: HeadProps): ReactElement {
  const { status, because, ends_at, last_error } = agent
  return (
    <header className="shrink-0 border-line border-b bg-card px-4 py-3 sm:px-8">
      <div className="mx-auto flex max-w-[44rem] flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <div className="flex items-center gap-2">
            <Link
              href={back}
              aria-label="All agents"
              className="-ml-2.5 grid size-10 shrink-0 place-items-center rounded-lg text-muted hover:bg-hover lg:hidden"
            >
              <Icon name="back" className="size-5" />
            </Link>
            <h1 className="min-w-0 truncate font-semibold text-lg leading-tight" dir="auto">
              <Visible text={calledAs(agent)} />
            </h1>
            <AgentBadge status={status} />
          </div>
          <p
            role="status"
            className={`line-clamp-6 text-sm [overflow-wrap:anywhere] ${last_error ? 'text-bad' : 'text-muted'}`}
          >
            {visibleLine(because)}
            {ends_at !== null && (
              <span className="text-muted" aria-live="off">
                {' · '}
                <EndsIn at={ends_at} />
              </span>
            )}
          </p>
        </div>
        {actions}
      </div>
    </header>
  )
}
