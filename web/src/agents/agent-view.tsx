import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { mayRunAgents, useMe } from '../api/session.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { Composer } from '../thread/composer.tsx'
import { Messages } from '../thread/messages.tsx'
import { useThread } from '../thread/use-thread.ts'
import { AgentActions } from './agent-actions.tsx'
import { AgentFacts } from './agent-facts.tsx'
import { AgentHead } from './agent-head.tsx'
import type { Agent } from './data/agent-groups.ts'
import { useAgent } from './data/use-agent.ts'

interface ViewProps {
  readonly id: string
  /** Of the list behind it. */
  readonly search: string
}

/** One agent: how it stands, what it says as it says it, what it asks, and a composer below. */
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
  const isAllowed = mayRunAgents(useMe())
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
