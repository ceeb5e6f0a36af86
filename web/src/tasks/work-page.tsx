import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useSearchParams } from 'wouter'
import { get } from '../api/client.ts'
import type { Change, Documents } from '../api/documents.ts'
import { useFresh } from '../api/use-fresh.ts'
import { Room } from '../parts/room.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { WorkRow } from './work-row.tsx'
import { type WorkNode, workTree } from './work-tree.ts'

const MOST = 200

const STATUSES: Readonly<Record<string, string>> = { '': 'All', waiting: 'Waiting', running: 'Working', done: 'Done' }

/** Agents and commands as a tree: each below the agent that started it. */
export function WorkPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const status = search.get('status') ?? ''
  const { data, error, refetch } = useQuery({
    queryKey: ['work', status],
    queryFn: async ({ signal }) => {
      const asked = { about: true, tree: true, limit: MOST, ...(status !== '' && { status }) }
      const [{ runs }, { tasks }] = await Promise.all([
        get<Documents['Runs']>('/v1/runs', asked, signal),
        get<Documents['Tasks']>('/v1/tasks', { limit: MOST }, signal),
      ])
      return workTree(runs, status === '' ? tasks : tasks.filter(({ run_id }) => run_id !== null))
    },
  })
  useFresh(['work'], concernsWork)
  return (
    <Room
      title="Runs"
      about="Agents and commands, the newest first, each below the agent that started it."
      actions={
        <div className="flex rounded-lg bg-sunken p-1">
          {Object.entries(STATUSES).map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === status}
              onClick={() => setSearch(value === '' ? {} : { status: value }, { replace: true })}
              className="min-h-9 rounded-md px-3 text-muted text-sm aria-pressed:bg-card aria-pressed:font-medium aria-pressed:text-text aria-pressed:shadow-card"
            >
              {name}
            </button>
          ))}
        </div>
      }
    >
      {data ? <Tree nodes={data} /> : error ? <Trouble error={error} again={() => void refetch()} /> : <Loading />}
    </Room>
  )
}

/** A hold that was shown, or a refused caller, changes no run. */
function concernsWork({ kind }: Change): boolean {
  return kind.startsWith('run.') || kind.startsWith('task.') || (kind.startsWith('hold.') && kind !== 'hold.shown')
}

function Tree({ nodes }: { readonly nodes: readonly WorkNode[] }): ReactElement {
  if (nodes.length === 0) return <Empty title="No runs">What agents do appears here by itself.</Empty>
  return (
    <ul className="border-line border-t">
      {nodes.map(node => (
        <Branch key={node.id} node={node} depth={0} />
      ))}
    </ul>
  )
}

/** Deeper levels have the same indent and differ by their lines alone: a phone is narrow. */
const DEEPEST = 6

function Branch({ node, depth }: { readonly node: WorkNode; readonly depth: number }): ReactElement {
  const { children } = node
  return (
    <li>
      <WorkRow node={node} isChild={depth > 0} />
      {children.length > 0 && (
        <ul className={depth < DEEPEST ? 'ml-3 border-line border-l-2 pl-3 sm:ml-4 sm:pl-4' : ''}>
          {children.map(child => (
            <Branch key={child.id} node={child} depth={depth + 1} />
          ))}
        </ul>
      )}
    </li>
  )
}
