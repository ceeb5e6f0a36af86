import type { ReactElement, ReactNode } from 'react'
import type { HoldView } from '../api/documents.ts'
import { Badge } from '../parts/badge.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { KIND_NAMES } from '../parts/kinds.ts'
import { Ago, DueIn } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'

/** What it is, in one look: the tool or the question, whose it is, and how long there is. */
export function CardHead({ hold }: { readonly hold: HoldView }): ReactElement {
  const { kind, tool, status, agent, path, opened_at, due_at, assignee } = hold
  return (
    <header>
      <Facts>
        <span>{KIND_NAMES[kind]}</span>
        <span className="break-all">{path.length > 1 ? path.map(step => step.agent).join(' › ') : agent}</span>
        <Ago at={opened_at} />
        {assignee !== null && <span>asks {assignee}</span>}
        {status === 'open' && due_at !== null && <DueIn at={due_at} />}
      </Facts>
      <h1 id="card-title" dir="auto" className="mt-1 break-words font-semibold text-2xl leading-tight">
        <Visible text={titleOf(hold)} />
      </h1>
      {hasOwnWords(hold) && (
        <p className="mt-2 whitespace-pre-wrap break-words" dir="auto">
          <Visible text={hold.message} />
        </p>
      )}
      {status === 'open' && <Warnings hold={hold} tool={tool ?? 'it'} />}
    </header>
  )
}

/** With a dot between two of them, but none where a line begins or ends: that in front of a line is cut off. */
function Facts({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <p className="overflow-hidden text-muted text-sm">
      <span className="-ml-5 flex flex-wrap gap-y-1 *:before:inline-block *:before:w-5 *:before:text-center *:before:content-['·'/'']">
        {children}
      </span>
    </p>
  )
}

function titleOf({ kind, tool, message }: HoldView): string {
  if (kind === 'question') return message
  if (kind === 'input') return 'What comes next?'
  return tool ?? KIND_NAMES[kind]
}

/** More than that the tool wants to run. */
function hasOwnWords({ kind, message, tool }: HoldView): boolean {
  return kind !== 'question' && message !== '' && message !== `May ${tool} run?`
}

/** In words, and not only by a colour. */
function Warnings({ hold, tool }: { readonly hold: HoldView; readonly tool: string }): ReactElement {
  const { overrides_never, destructive, kind, asked_before } = hold
  return (
    <div className="mt-3 grid gap-2 empty:hidden">
      {overrides_never && (
        <Warning look="bad" icon="lock">
          Policy says never to this. To approve it overrides the policy, and goes on record as that.
        </Warning>
      )}
      {kind === 'in_doubt' && (
        <Warning look="warn" icon="question">
          Nobody knows what came of it. It may have happened, or not, or in part: look before you choose.
        </Warning>
      )}
      {destructive && kind !== 'question' && (
        <Warning look="warn" icon="alert">
          Destructive: what {tool} does cannot be taken back.
        </Warning>
      )}
      {asked_before !== null && (
        <Warning look="accent" icon="clock">
          This was asked before, and is another request now. What is different is below.
        </Warning>
      )}
    </div>
  )
}

const LOOKS = { bad: 'bg-bad-soft text-bad', warn: 'bg-warn-soft text-warn', accent: 'bg-accent-soft text-accent' }

interface WarningProps {
  readonly look: keyof typeof LOOKS
  readonly icon: IconName
  readonly children: ReactNode
}

function Warning({ look, icon, children }: WarningProps): ReactElement {
  return (
    <p className={`flex gap-2.5 rounded-lg px-3 py-2 text-sm ${LOOKS[look]}`}>
      <Icon name={icon} className="mt-0.5 size-4.5" />
      <span>{children}</span>
    </p>
  )
}

/** In a list of facts: the state of another call. */
export function Standing({ status }: { readonly status: string }): ReactElement {
  return <Badge look={LOOK_OF[status] ?? 'plain'}>{status.replaceAll('_', ' ')}</Badge>
}

const LOOK_OF: Readonly<Record<string, 'good' | 'bad' | 'accent'>> = {
  succeeded: 'good',
  failed: 'bad',
  suspended: 'accent',
}
