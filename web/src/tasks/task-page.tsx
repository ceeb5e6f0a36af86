import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Link, useParams } from 'wouter'
import { get, post } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { useMe } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Room } from '../parts/room.tsx'
import { Section } from '../parts/section.tsx'
import { Alert, Loading, Trouble } from '../parts/states.tsx'
import { localTime } from '../parts/time.tsx'
import { useRequest } from '../parts/use-request.ts'
import { LongText } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'
import { TaskStanding } from './work-row.tsx'

type Details = Documents['Task']

/** The stream of changes has no events for the output of a process. */
const LOOK_AGAIN_MS = 2_000

/** One process that outlives its starter: its status, its output, and a button to stop it. */
export function TaskPage(): ReactElement {
  const { id = '' } = useParams<{ id: string }>()
  const { data, error, refetch } = useQuery({
    queryKey: ['task', id],
    queryFn: ({ signal }) => get<Details>(`/v1/tasks/${id}`, {}, signal),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : LOOK_AGAIN_MS),
  })
  if (data) return <Shown task={data} />
  return error ? <Trouble error={error} again={() => void refetch()} /> : <Loading />
}

function isOver(task: Details | undefined): boolean {
  return task !== undefined && !['pending', 'running', 'paused'].includes(task.status)
}

function Shown({ task }: { readonly task: Details }): ReactElement {
  const { title, kind, status, created_at, workdir, run_id, session_id, parent_run_id, error, stdout, stderr } = task
  const role = useMe()?.role
  const mayStop = role === 'operator' || role === 'admin'
  return (
    <Room
      title={<Visible text={title} />}
      about={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <TaskStanding status={status} />
          <span>{kind}</span>
          <time dateTime={created_at}>{localTime(created_at)}</time>
          <span className="break-all font-mono text-xs">{workdir}</span>
        </span>
      }
      actions={mayStop && !isOver(task) && <Stop id={task.task_id} />}
    >
      <p className="flex flex-wrap gap-x-5 gap-y-1 text-sm empty:hidden">
        {session_id !== null && <Go to={`/threads/${session_id}`}>Its conversation</Go>}
        {run_id !== null && <Go to={`/runs/${run_id}`}>Its run over time</Go>}
        {parent_run_id !== null && <Go to={`/runs/${parent_run_id}`}>The run that started it</Go>}
      </p>
      {error !== null && (
        <p className="mt-4 rounded-lg bg-bad-soft px-4 py-3 text-bad text-sm">
          <Visible text={`${error.code}: ${error.message}`} />
        </p>
      )}
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] gap-6">
        {/* The document on the stdout of an agent only repeats what its run tells. */}
        {(kind !== 'agent' || run_id === null) && <Output name="What it printed" output={stdout} />}
        {stderr.size > 0 && <Output name="Errors that it printed" output={stderr} />}
        <Processes history={task.history} />
      </div>
    </Room>
  )
}

function Go({ to, children }: { readonly to: string; readonly children: string }): ReactElement {
  return (
    <Link href={to} className="text-accent underline-offset-4 hover:underline">
      {children}
    </Link>
  )
}

function Stop({ id }: { readonly id: string }): ReactElement {
  const queries = useQueryClient()
  const [isAsking, ask] = useState(false)
  const { busy, trouble, send } = useRequest()
  const stop = () => {
    ask(false)
    void send(async () => {
      await post(`/v1/tasks/${id}/cancel`, {})
      await queries.invalidateQueries({ queryKey: ['task', id] })
    })
  }
  return (
    <div>
      <Button look="bad" busy={busy} onClick={() => ask(true)}>
        Stop it for good…
      </Button>
      {isAsking && (
        <Dialog title="Stop this task for good?" onClose={() => ask(false)}>
          <p className="text-sm">Its process ends, and what waits in it is withdrawn. It cannot be resumed.</p>
          <DialogActions>
            <Button onClick={() => ask(false)}>Let it go on</Button>
            <Button look="bad" onClick={stop}>
              Stop it
            </Button>
          </DialogActions>
        </Dialog>
      )}
      <Alert text={trouble} className="mt-1" />
    </div>
  )
}

function Output({ name, output }: { readonly name: string; readonly output: Details['stdout'] }): ReactElement {
  const { text, from, size } = output
  return (
    <Section title={name} aside={from > 0 ? `the end of ${size.toLocaleString('en')} bytes` : null}>
      <div className="rounded-lg border border-line bg-sunken px-3 py-2">
        {text === '' ? <p className="text-muted text-sm">Nothing so far.</p> : <LongText text={text} />}
      </div>
    </Section>
  )
}

function Processes({ history }: { readonly history: Details['history'] }): ReactElement {
  return (
    <Section title={history.length === 1 ? 'Its process' : 'Its processes'}>
      <ol className="border-line border-t text-sm">
        {history.map(({ n, status, by, started_at, exit_code, signal }) => (
          <li key={n} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-line border-b py-2">
            <span className="text-muted tabular-nums">{n}</span>
            <TaskStanding status={status} />
            <span className="min-w-0 break-all">by {by}</span>
            {started_at !== null && (
              <time dateTime={started_at} className="text-muted">
                {localTime(started_at)}
              </time>
            )}
            <span className="ml-auto text-muted">{signal ?? (exit_code === null ? '' : `exit ${exit_code}`)}</span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
