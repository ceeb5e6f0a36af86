import type { ReactElement, ReactNode } from 'react'
import { holdBlocks } from '../../../src/core/hold-view/blocks/hold-blocks.ts'
import { outcomeText } from '../../../src/core/run/outcome/call-outcome.ts'
import type { HoldView } from '../api/documents.ts'
import { Badge } from '../parts/badge.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { KIND_NAMES } from '../parts/kinds.ts'
import { Ago, DueIn } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'

/** The act in words, the task that it is for, and the time left. */
export function CardHead({ hold }: { readonly hold: HoldView }): ReactElement {
  const { kind, tool, status, agent, path, opened_at, due_at, assignee, task } = hold
  return (
    <header>
      <Facts>
        <span>{KIND_NAMES[kind]}</span>
        {tool !== null && <span className="break-all font-mono text-xs leading-5">{tool}</span>}
        <span className="break-all">{path.length > 1 ? path.map(step => step.agent).join(' › ') : agent}</span>
        <Ago at={opened_at} />
        {assignee !== null && <span>asks {assignee}</span>}
        {status === 'open' && due_at !== null && <DueIn at={due_at} />}
      </Facts>
      <h1 id="card-title" dir="auto" className="mt-1 break-words font-semibold text-2xl leading-tight">
        <Visible text={hold.title} />
      </h1>
      {task !== null && <Task task={task} />}
      {status === 'open' && <Warnings hold={hold} />}
    </header>
  )
}

/** What the run was asked for, by whom, and where it works. */
export function Task({
  task: { text, by, directory, branch, host },
}: {
  readonly task: NonNullable<HoldView['task']>
}): ReactElement {
  return (
    <p className="mt-1.5 break-words text-muted text-sm" dir="auto">
      {text !== '' && (
        <>
          for{' '}
          <span className="text-text">
            <Visible text={text} />
          </span>
          {by !== null && <> · asked by {by}</>} ·{' '}
        </>
      )}
      in <Visible text={directory} />
      {branch !== null && (
        <>
          {' '}
          on <Visible text={branch} />
        </>
      )}
      {host !== '' && <> ({host})</>}
    </p>
  )
}

/** Puts a dot between two facts, but none where a line begins or ends: a dot in front of a line is cut off. */
function Facts({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <p className="overflow-hidden text-muted text-sm">
      <span className="-ml-5 flex flex-wrap gap-y-1 *:before:inline-block *:before:w-5 *:before:text-center *:before:content-['·'/'']">
        {children}
      </span>
    </p>
  )
}

/** In words, and not only by a colour. */
export function Warnings({ hold }: { readonly hold: HoldView }): ReactElement {
  const { kind, asked_before } = hold
  return (
    <div className="mt-3 grid gap-2 empty:hidden">
      {holdBlocks(hold).map(block =>
        block.type === 'warning' ? (
          <Warning
            key={block.text}
            look={block.tone}
            icon={block.tone === 'warn' ? 'alert' : kind === 'in_doubt' ? 'question' : 'lock'}
          >
            <Visible text={block.text} />.
          </Warning>
        ) : null,
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
      <span className="min-w-0 break-words">{children}</span>
    </p>
  )
}

type Sibling = HoldView['siblings'][number]

/** In a list of facts: the state of another call, or how the program that it ran ended. */
export function Standing({ sibling: { status, outcome, is_rejected } }: { readonly sibling: Sibling }): ReactElement {
  if (is_rejected) return <Badge look="plain">rejected</Badge>
  const exit = outcome && outcomeText(outcome)
  if (exit) return <Badge look={outcome.failed ? 'bad' : 'plain'}>{exit}</Badge>
  return <Badge look={LOOK_OF[status] ?? 'plain'}>{status.replaceAll('_', ' ')}</Badge>
}

const LOOK_OF: Readonly<Record<string, 'good' | 'bad' | 'accent'>> = {
  succeeded: 'good',
  failed: 'bad',
  suspended: 'accent',
}
