import type { ReactElement, ReactNode } from 'react'
import { Link } from 'wouter'
import { withTimes } from '../../../src/core/text/iso-time.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { isOperator, useMe } from '../api/session.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { clockTime, EndsIn, localTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { Composer } from '../thread/composer.tsx'
import { Messages } from '../thread/messages.tsx'
import { useThread } from '../thread/use-thread.ts'
import { AgentActions } from './agent-actions.tsx'
import { AgentBadge } from './agent-row.tsx'
import { type Agent, calledAs } from './data/agent-groups.ts'
import { useAgent } from './data/use-agents.ts'

interface ViewProps {
  readonly id: string
  /** The query string of the list, for the link back. */
  readonly search: string
}

/** One agent: its status, its words as it writes them, its question, and a composer below. */
export function AgentView({ id, search }: ViewProps): ReactElement {
  const { agent, error, again } = useAgent(id)
  if (!agent) return error ? <Missing error={error} again={again} search={search} /> : <Loading />
  return <Shown agent={agent} search={search} />
}

interface MissingProps {
  readonly error: unknown
  readonly again: () => void
  readonly search: string
}

function Missing({ error, again, search }: MissingProps): ReactElement {
  return (
    <div className="flex h-full flex-col">
      <Link
        href={`/agents${search}`}
        className="flex min-h-11 shrink-0 items-center gap-1 border-line border-b bg-card px-3 text-muted text-sm lg:hidden"
      >
        <Icon name="back" /> All agents
      </Link>
      <Trouble error={error} again={again} />
    </div>
  )
}

function Shown({ agent, search }: { readonly agent: Agent; readonly search: string }): ReactElement {
  const { session_id } = agent
  const isAllowed = isOperator(useMe())
  return (
    <div className="flex h-full flex-col">
      <AgentHead
        agent={agent}
        back={`/agents${search}`}
        actions={isAllowed && <AgentActions agent={agent} back={`/agents${search}`} />}
      />
      {session_id === null ? (
        <div className="mx-auto w-full max-w-3xl px-4 py-5 sm:px-8">
          <AgentFacts agent={agent} />
          <Empty title="Its conversation is not here any more">It was pruned, or moved to another store.</Empty>
        </div>
      ) : (
        <Talk key={session_id} agent={agent} threadId={session_id} />
      )}
    </div>
  )
}

interface TalkProps {
  readonly agent: Agent
  readonly threadId: string
}

function Talk({ agent, threadId }: TalkProps): ReactElement {
  const { id, status, name } = agent
  const { thread, messages, error, again, live } = useThread(threadId)
  if (!thread || !messages) return error ? <Trouble error={error} again={again} /> : <Loading />
  return (
    <>
      <Messages messages={messages} live={live}>
        <AgentFacts agent={agent} />
      </Messages>
      {TAKES_NONE.includes(status) ? (
        <p className="border-line border-t bg-card px-4 py-3 text-center text-muted text-sm">
          {name ?? 'It'} is {status} for good and takes no message. Respawn it, or fork it.
        </p>
      ) : (
        <Composer to={{ kind: 'agent', threadId, id, status }} open={thread.run?.holds ?? []} />
      )}
    </>
  )
}

const TAKES_NONE: readonly Agent['status'][] = ['killed', 'killing']

/** Shows the task of the agent, who is attached, and links to its run and its process. */
function AgentFacts({ agent }: { readonly agent: Agent }): ReactElement {
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

/** The directory or branch of an agent, after its host if hosts share the store. */
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

interface HeadProps {
  readonly agent: Agent
  /** The address of the list. */
  readonly back: string
  readonly actions: ReactNode
}

/** Status, reason and actions, which stay in view above the conversation. */
function AgentHead({ agent, back, actions }: HeadProps): ReactElement {
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
            {visibleLine(withTimes(because, clockTime))}
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
