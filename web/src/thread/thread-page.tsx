import type { ReactElement } from 'react'
import { useParams } from 'wouter'
import { Badge } from '../parts/badge.tsx'
import { Loading, Trouble } from '../parts/states.tsx'
import { RunTabs } from '../run/run-tabs.tsx'
import { Visible } from '../text/visible.tsx'
import { Composer } from './composer.tsx'
import { Messages } from './messages.tsx'
import { type ThreadView, useThread } from './use-thread.ts'

/** A conversation: its messages, its open holds in their places, and a composer below. */
export function ThreadPage(): ReactElement {
  const { id = '' } = useParams<{ id: string }>()
  const { thread, messages, error, again, live } = useThread(id)
  if (!thread || !messages) return error ? <Trouble error={error} again={again} /> : <Loading />
  const { thread_id, run } = thread
  return (
    <div className="flex h-full flex-col">
      <Messages messages={messages} live={live}>
        <header className="flex flex-wrap items-center gap-3">
          <h1 className="break-words font-semibold text-2xl leading-tight">{run?.agent ?? 'Conversation'}</h1>
          {run && <Standing run={run} />}
        </header>
        {run?.warnings.map(({ code, message }) => (
          <p key={code} className="break-words text-sm text-warn">
            <Visible text={message} />
          </p>
        ))}
        <RunTabs runId={run?.run_id ?? null} threadId={thread_id} here="thread" />
      </Messages>
      <Composer key={id} to={{ kind: 'thread', threadId: id }} open={run?.holds ?? []} />
    </div>
  )
}

function Standing({ run: { status, termination } }: { readonly run: NonNullable<ThreadView['run']> }): ReactElement {
  if (status === 'waiting')
    return (
      <Badge look="warn" icon="clock">
        waits
      </Badge>
    )
  if (status === 'running') return <Badge look="accent">works</Badge>
  return termination?.type === 'natural_end' ? (
    <Badge look="good">done</Badge>
  ) : (
    <Badge>{ended(termination?.type)}</Badge>
  )
}

function ended(type: string | undefined): string {
  return (type ?? 'done').replaceAll('_', ' ')
}
