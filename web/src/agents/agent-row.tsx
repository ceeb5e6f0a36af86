import { memo, type ReactElement, useLayoutEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { AgentStatus } from '../../../src/core/fleet/agent-status.ts'
import { withTimes } from '../../../src/core/text/iso-time.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { Badge, type BadgeLook } from '../parts/badge.tsx'
import type { IconName } from '../parts/icon.tsx'
import { Icon } from '../parts/icon.tsx'
import { Ago, clockTime, DueIn, EndsIn } from '../parts/time.tsx'
import { type Agent, calledAs } from './data/agent-groups.ts'

interface RowProps {
  readonly agent: Agent
  /** The agent that started it; `null` if none did, or it is not listed. */
  readonly parent: string | null
  /** The query string of the list, which stays as it is while an agent is open. */
  readonly search: string
  readonly isOpen: boolean
  readonly isAtCursor: boolean
}

export const AgentRow = memo(({ agent, parent, search, isOpen, isAtCursor }: RowProps): ReactElement => {
  const { id, status, first_hold } = agent
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isAtCursor) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isAtCursor])
  return (
    <div
      ref={row}
      data-cursor={isAtCursor || undefined}
      className={`relative border-line border-b ${isOpen ? 'bg-accent-soft' : 'hover:bg-hover'} data-[cursor]:shadow-[inset_3px_0_0_var(--color-accent)]`}
    >
      <Link
        href={`/agents/${id}${search}`}
        aria-current={isOpen ? 'true' : undefined}
        className="grid gap-0.5 px-4 py-2.5 outline-offset-[-2px]"
      >
        <span className="flex items-center gap-2">
          <span className="truncate font-semibold" dir="auto">
            {visibleLine(calledAs(agent))}
          </span>
          <AgentBadge status={status} />
          <span className="ml-auto shrink-0 whitespace-nowrap text-muted text-xs">
            <Moment agent={agent} />
          </span>
        </span>
        <Words agent={agent} />
        <Facts agent={agent} parent={parent} />
      </Link>
      {first_hold && <ToHold agent={agent} hold={first_hold} />}
    </div>
  )
})

/** Shows the next deadline, or how long the status has lasted. */
function Moment({ agent: { first_hold, ends_at, updated_at } }: { readonly agent: Agent }): ReactElement {
  if (first_hold?.due_at) return <DueIn at={first_hold.due_at} />
  return ends_at === null ? <Ago at={updated_at} /> : <EndsIn at={ends_at} />
}

const TROUBLE: ReadonlySet<Agent['status']> = new Set(['crashed', 'failed', 'unreachable'])

/**
 * Shows why the agent crashed, failed or is out of reach, or else its last words. Its question has a line of its own.
 */
function Words({ agent }: { readonly agent: Agent }): ReactElement {
  const { status, because, last_message, title, name, last_error } = agent
  if (TROUBLE.has(status) || last_error !== null)
    return (
      <span className="line-clamp-2 text-bad text-sm [overflow-wrap:anywhere]">
        {visibleLine(withTimes(because, clockTime))}
      </span>
    )
  if (last_message === null)
    return (
      <span className="truncate text-muted text-sm">
        {visibleLine(name === null ? withTimes(because, clockTime) : title)}
      </span>
    )
  const { line, is_cut, is_of_agent, author } = last_message
  return (
    <span className="truncate text-sm" dir="auto">
      {!is_of_agent && <span className="text-muted">{visibleLine(author ?? 'a person')}: </span>}
      {line}
      {is_cut && '…'}
    </span>
  )
}

function Facts({ agent, parent }: Pick<RowProps, 'agent' | 'parent'>): ReactElement {
  const { agent: definition, name, title, writer, clients, queued, worktree } = agent
  const facts = [
    definition,
    name === null ? null : visibleLine(title),
    worktree === null ? null : `branch ${visibleLine(worktree.branch)}`,
    parent === null ? null : `started by ${visibleLine(parent)}`,
    queued > 0 ? `${queued} ${queued === 1 ? 'message waits' : 'messages wait'}` : null,
    writer === null ? null : `${visibleLine(writer)} writes`,
    clients > 0 && writer === null ? `${clients} attached` : null,
  ].filter(fact => fact !== null && fact !== '')
  return <span className="truncate text-muted text-xs">{facts.join(' · ')}</span>
}

interface ToHoldProps {
  readonly agent: Agent
  readonly hold: NonNullable<Agent['first_hold']>
}

function ToHold({ agent: { holds }, hold: { id, tool, summary, is_cut } }: ToHoldProps): ReactElement {
  return (
    <Link
      href={`/holds/${id}`}
      className="mx-4 mb-2.5 flex min-h-10 items-center gap-2 rounded-lg bg-warn-soft px-3 text-sm hover:underline"
    >
      <span className="min-w-0 flex-1 truncate" dir="auto">
        {tool !== null && <span className="font-medium">{tool} </span>}
        <span className={tool === null ? '' : 'font-mono text-[0.8125rem]'}>
          {summary}
          {is_cut && '…'}
        </span>
      </span>
      {holds > 1 && <span className="shrink-0 text-warn text-xs">and {holds - 1} more</span>}
      <Icon name="next" className="size-4 text-warn" />
    </Link>
  )
}

// biome-ignore format: the table is the documentation
const LOOKS: Readonly<Record<AgentStatus, readonly [look: BadgeLook, icon?: IconName]>> = {
  waiting: ['warn', 'clock'],
  crashed: ['bad', 'alert'], failed: ['bad', 'cross'], unreachable: ['bad', 'alert'],
  idle: ['good', 'message'],
  running: ['accent'], spawning: ['accent'], queued: ['plain'], killing: ['bad'],
  parked: ['plain'],
  done: ['plain', 'check'], killed: ['plain', 'cross'],
}

export function AgentBadge({ status }: { readonly status: AgentStatus }): ReactElement {
  const [look, icon] = LOOKS[status]
  return (
    <Badge look={look} {...(icon && { icon })}>
      {status}
    </Badge>
  )
}
