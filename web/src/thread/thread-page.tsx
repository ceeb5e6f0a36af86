import { type ReactElement, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useParams } from 'wouter'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { RunTabs } from '../run/run-tabs.tsx'
import { Visible } from '../text/visible.tsx'
import { Composer } from './composer.tsx'
import { conversationOf, type Message } from './conversation.ts'
import { MessageView } from './message-view.tsx'
import { type ThreadView, useThread } from './use-thread.ts'

/** A conversation: what was said, what waits in its place, and a composer below. */
export function ThreadPage(): ReactElement {
  const { id = '' } = useParams<{ id: string }>()
  const { thread, messages, error, again, live } = useThread(id)
  if (!thread || !messages) return error ? <Trouble error={error} again={again} /> : <Loading />
  return (
    <div className="flex h-full flex-col">
      <Messages messages={messages} live={live} thread={thread} />
      <Composer key={id} threadId={id} open={thread.run?.holds ?? []} />
    </div>
  )
}

interface MessagesProps {
  readonly messages: readonly Message[]
  readonly live: string
  readonly thread: ThreadView
}

function Messages({ messages, live, thread }: MessagesProps): ReactElement {
  const { thread_id, run } = thread
  const entries = useMemo(() => conversationOf(messages), [messages])
  const box = useEndInView()
  const { from, showEarlier } = useNewest(entries.length, box)
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <div className="mx-auto max-w-3xl px-4 py-5 sm:px-8">
        <header className="flex flex-wrap items-center gap-3">
          <h1 className="break-words font-semibold text-2xl leading-tight">{run?.agent ?? 'Conversation'}</h1>
          {run && <Standing run={run} />}
        </header>
        <RunTabs runId={run?.run_id ?? null} threadId={thread_id} here="thread" />
        {entries.length === 0 && <Empty title="Nothing was said yet" />}
        {from > 0 && (
          <Button className="mb-6 w-full" onClick={showEarlier}>
            Earlier messages: {from.toLocaleString('en')}
          </Button>
        )}
        <div role="log" aria-label="Conversation" className="flex flex-col gap-6">
          {entries.slice(from).map(entry => (
            <MessageView key={entry.message.id} entry={entry} />
          ))}
          {live !== '' && (
            <p dir="auto" className="whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">
              <Visible text={live} />
            </p>
          )}
        </div>
      </div>
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

/** More of them at once would make each key of the composer wait. */
const STEP = 200

/** The newest entries first, and the earlier ones step by step. What is read stays at its place on the screen. */
function useNewest(count: number, box: RefObject<HTMLDivElement | null>) {
  const [most, setMost] = useState(STEP)
  const height = useRef(0)
  const showEarlier = () => {
    height.current = box.current?.scrollHeight ?? 0
    setMost(known => known + STEP)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a step moves what is read
  useLayoutEffect(() => {
    const element = box.current
    if (element && height.current > 0) element.scrollTop += element.scrollHeight - height.current
  }, [most])
  return { from: Math.max(0, count - most), showEarlier }
}

/** Nearer to the end than this, a reader wants to see what comes. */
const NEAR_PX = 120

/** The end stays in view for those who are there; others stay at their place. */
function useEndInView(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    const content = element?.firstElementChild
    if (!element || !content) return
    let isAtEnd = true
    const note = () => {
      isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX
    }
    const sizes = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight
    })
    sizes.observe(content)
    sizes.observe(element)
    element.addEventListener('scroll', note, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', note)
    }
  }, [])
  return box
}
