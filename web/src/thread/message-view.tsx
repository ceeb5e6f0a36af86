import { memo, type ReactElement } from 'react'
import { Link } from 'wouter'
import { Icon } from '../parts/icon.tsx'
import { clockTime, localTime } from '../parts/time.tsx'
import { Prose } from '../text/prose.tsx'
import { Visible } from '../text/visible.tsx'
import { CallCard } from './call-card.tsx'
import type { Entry, Message } from './conversation.ts'
import { HoldCard } from './hold-card.tsx'

interface MessageProps {
  readonly entry: Entry
  /** The output of its running calls, by their ids. */
  readonly output: Readonly<Record<string, string>>
}

/** One message, in the manner of its author. */
export const MessageView = memo(({ entry: { message, calls }, output }: MessageProps): ReactElement => {
  const { role, content } = message
  if (role === 'system') return <Remark message={message} />
  if (role === 'agent_question') return <Question message={message} />
  const isOfPerson = role === 'user' || role === 'human_response'
  return (
    <article
      className={`grid max-w-full grid-cols-[minmax(0,1fr)] gap-2 ${isOfPerson ? 'justify-items-end self-end' : 'w-full'}`}
    >
      <Author message={message} />
      {textOf(content) !== '' && <Said text={textOf(content)} isOfPerson={isOfPerson} />}
      {calls.map(call => (
        <CallCard key={call.id} call={call} printed={output[call.id] ?? ''} />
      ))}
    </article>
  )
})

interface SaidProps {
  readonly text: string
  readonly isOfPerson: boolean
}

/** An agent writes Markdown. The words of a person stay as they were typed. */
function Said({ text, isOfPerson }: SaidProps): ReactElement {
  if (!isOfPerson) return <Prose text={text} />
  return (
    <div
      dir="auto"
      className="whitespace-pre-wrap rounded-2xl rounded-tr-sm bg-accent-soft px-4 py-2.5 [overflow-wrap:anywhere]"
    >
      <Visible text={text} />
    </div>
  )
}

function Author({ message: { author, role, at, hold_id } }: { readonly message: Message }): ReactElement {
  return (
    <p className="flex items-baseline gap-2 text-muted text-xs">
      <span className="font-medium text-text">{author ?? (role === 'user' ? 'Author unknown' : 'Agent')}</span>
      {role === 'human_response' && hold_id !== null && (
        <Link href={`/holds/${hold_id}`} className="underline-offset-4 hover:underline">
          decided
        </Link>
      )}
      <Moment at={at} />
    </p>
  )
}

function Moment({ at }: { readonly at: string }): ReactElement {
  return (
    <time dateTime={at} title={localTime(at)}>
      {clockTime(at)}
    </time>
  )
}

/** An event in the conversation, without an author. */
function Remark({ message: { content, at } }: { readonly message: Message }): ReactElement {
  return (
    <p className="self-center px-4 text-center text-muted text-xs">
      <Visible text={textOf(content)} /> · <Moment at={at} />
    </p>
  )
}

/** The card of the call above tells the rest. */
const USUAL = /^(May \S+ run\?)?$/

/** Open ones in full, so that they can be decided here. */
function Question({ message }: { readonly message: Message }): ReactElement {
  const { hold_id, content, requires_response, at } = message
  if (hold_id !== null && requires_response) return <HoldCard id={hold_id} />
  return (
    <p className="flex items-baseline gap-2 text-muted text-sm">
      <Icon name="question" className="size-4 translate-y-0.5" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {hold_id === null ? (
          textOf(content)
        ) : (
          <Link href={`/holds/${hold_id}`} className="underline-offset-4 hover:underline">
            <Visible text={USUAL.test(textOf(content)) ? 'Asked for approval' : textOf(content)} />
          </Link>
        )}{' '}
        <span className="text-xs">
          <Moment at={at} />
        </span>
      </span>
    </p>
  )
}

function textOf(content: Message['content']): string {
  if (content === null) return ''
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2)
}
