import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { waitsForModelUntil } from '../../../src/core/run/outcome/outage.ts'
import { failureText } from '../../../src/core/run/outcome/run-failure.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { Badge, type BadgeLook } from '../parts/badge.tsx'
import { Icon } from '../parts/icon.tsx'
import { Ago, clockTime, useNow } from '../parts/time.tsx'
import type { Run, Task, WorkNode } from './work-tree.ts'

const MINUTE = 60_000

interface RowProps {
  readonly node: WorkNode
  readonly isChild: boolean
}

export function WorkRow({ node: { run, task }, isChild }: RowProps): ReactElement {
  const now = useNow(MINUTE)
  const waitsUntil = run && waitsForModelUntil(run, now)
  const href = run ? `/threads/${run.thread_id}` : `/tasks/${task?.task_id}`
  return (
    <div className="flex min-h-14 items-center gap-3 border-line border-b py-2">
      <Icon name={run ? 'message' : 'terminal'} className="size-5 text-muted" />
      <Link href={href} className="min-w-0 flex-1 rounded-lg hover:underline">
        <span className="block truncate">{titleOf(run, task)}</span>
        <span className="block truncate text-muted text-xs">
          {run?.agent ?? task?.kind}
          {isChild && ' · started by the agent above'}
        </span>
        {run?.stuck && (
          <span className="block break-words text-bad text-xs">
            {visibleLine(`${run.stuck.message} ${run.stuck.hint}`)}
          </span>
        )}
        {waitsUntil !== null && (
          <span className="block break-words text-warn text-xs">
            waits for the provider until {clockTime(waitsUntil)}
          </span>
        )}
      </Link>
      {run && (
        <Link
          href={`/runs/${run.run_id}`}
          className="hidden text-accent text-sm underline-offset-4 hover:underline sm:block"
        >
          Timeline
        </Link>
      )}
      {run && task && (
        <Link
          href={`/tasks/${task.task_id}`}
          className="hidden text-accent text-sm underline-offset-4 hover:underline sm:block"
        >
          Process
        </Link>
      )}
      <span className="grid shrink-0 justify-items-end gap-0.5 text-xs">
        <Standing run={run} task={task} isDelayed={waitsUntil !== null} />
        <span className="text-muted">
          <Ago at={run?.created_at ?? task?.created_at ?? ''} />
        </span>
      </span>
    </div>
  )
}

function titleOf(run: Run | null, task: Task | null): string {
  return visibleLine(task?.title ?? run?.about?.run ?? run?.run_id ?? '')
}

const RUN_LOOKS: Readonly<Record<Run['status'], readonly [name: string, look: BadgeLook]>> = {
  running: ['works', 'accent'],
  waiting: ['waits', 'warn'],
  done: ['done', 'good'],
}

const BAD_ENDS: ReadonlySet<string> = new Set(['error', 'blocked'])

/** If a task is an agent, its run has the more precise status. */
function Standing({
  run,
  task,
  isDelayed,
}: Pick<WorkNode, 'run' | 'task'> & { readonly isDelayed: boolean }): ReactElement {
  if (!run) return <TaskStanding status={task?.status ?? 'pending'} />
  const end = run.termination?.type
  if (end !== undefined && end !== 'natural_end')
    return <Badge look={BAD_ENDS.has(end) ? 'bad' : 'plain'}>{end.replaceAll('_', ' ')}</Badge>
  if (run.failed) return <Badge look="bad">{`failed: ${failureText(run.failed)}`}</Badge>
  if (run.rejected) return <Badge look="plain">{`done, ${run.rejected} rejected`}</Badge>
  if (run.stuck) return <Badge look="bad">stuck</Badge>
  if (isDelayed)
    return (
      <Badge look="warn" icon="clock">
        delayed
      </Badge>
    )
  const [name, look] = RUN_LOOKS[run.status]
  return <Badge look={look}>{name}</Badge>
}

const TASK_LOOKS: Readonly<Partial<Record<Task['status'], BadgeLook>>> = {
  running: 'accent',
  paused: 'warn',
  completed: 'good',
  failed: 'bad',
  timed_out: 'bad',
}

export function TaskStanding({ status }: Pick<Task, 'status'>): ReactElement {
  return <Badge look={TASK_LOOKS[status] ?? 'plain'}>{status.replaceAll('_', ' ')}</Badge>
}
