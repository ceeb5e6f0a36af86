import type { ReactElement } from 'react'
import { useParams } from 'wouter'
import { waitsForModelUntil } from '../../../src/core/run/outcome/outage.ts'
import { failureText } from '../../../src/core/run/outcome/run-failure.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Loading, Trouble } from '../parts/states.tsx'
import { clockTime, useNow } from '../parts/time.tsx'
import { RunTabs } from '../run/run-tabs.tsx'
import { Visible } from '../text/visible.tsx'
import { Composer } from './composer.tsx'
import type { Message } from './conversation.ts'
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
        <header className="grid gap-1">
          <h1 className="line-clamp-2 break-words font-semibold text-2xl leading-tight">
            {taskOf(messages) ?? run?.agent ?? 'Conversation'}
          </h1>
          {run && (
            <p className="flex flex-wrap items-center gap-3 text-muted text-sm">
              {visibleLine(run.agent)} <Standing run={run} />
            </p>
          )}
        </header>
        {run?.stuck && (
          <p className="break-words text-bad text-sm">
            <Visible text={`${run.stuck.message} ${run.stuck.hint}`} />
          </p>
        )}
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

/** The message that began it, in one line; `null` if it began without one. */
function taskOf(messages: readonly Message[]): string | null {
  const first = messages.find(({ role }) => role === 'user')
  return typeof first?.content === 'string' ? visibleLine(first.content) || null : null
}

const MINUTE = 60_000

function Standing({
  run: { status, termination, failed, stuck, outage },
}: {
  readonly run: NonNullable<ThreadView['run']>
}): ReactElement {
  const now = useNow(MINUTE)
  const waitsUntil = outage && waitsForModelUntil(outage, now)
  if (status === 'waiting')
    return (
      <Badge look="warn" icon="clock">
        waits
      </Badge>
    )
  if (stuck) return <Badge look="bad">stuck</Badge>
  if (waitsUntil !== null)
    return (
      <Badge look="warn" icon="clock">
        waits for the provider until {clockTime(waitsUntil)}
      </Badge>
    )
  if (status === 'running') return <Badge look="accent">works</Badge>
  if (failed) return <Badge look="bad">{`failed: ${failureText(failed)}`}</Badge>
  return termination?.type === 'natural_end' ? (
    <Badge look="good">done</Badge>
  ) : (
    <Badge>{ended(termination?.type)}</Badge>
  )
}

function ended(type: string | undefined): string {
  return (type ?? 'done').replaceAll('_', ' ')
}
