import { type ReactElement, useMemo } from 'react'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { AgentRow } from './agent-row.tsx'
import { type AgentGroup, calledAs } from './data/agent-groups.ts'
import type { FleetRows } from './data/use-agents.ts'

interface ListProps {
  readonly groups: readonly AgentGroup[]
  readonly fleet: FleetRows
  readonly search: string
  readonly open: string | null
  readonly cursor: string | null
  readonly words: string
}

/** The agents by what they need. */
export function AgentList({ groups, fleet, search, open, cursor, words }: ListProps): ReactElement {
  const names = useNamesByRun(fleet.agents)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      {groups.map(({ name, title, agents }) => (
        <section key={name} aria-label={title}>
          <h2 className="sticky top-0 z-10 flex border-line border-b bg-sunken px-4 py-1.5 font-medium text-muted text-xs">
            {title}
            <span className="ml-auto tabular-nums">{agents.length}</span>
          </h2>
          <ul>
            {agents.map(agent => (
              <li key={agent.id}>
                <AgentRow
                  agent={agent}
                  parent={names.get(agent.parent_run_id) ?? null}
                  search={search}
                  isOpen={agent.id === open}
                  isAtCursor={agent.id === cursor}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 && <None words={words} />}
      {fleet.hasMore && (
        <div className="p-4">
          <Button className="w-full" busy={fleet.isLoadingMore} onClick={fleet.loadMore}>
            Earlier ones
          </Button>
        </div>
      )}
    </div>
  )
}

function useNamesByRun(agents: FleetRows['agents']): ReadonlyMap<string | null, string> {
  return useMemo(() => new Map(agents?.map(agent => [agent.run_id, calledAs(agent)])), [agents])
}

function None({ words }: { readonly words: string }): ReactElement {
  if (words !== '') return <Empty title="Nothing fits the filter">Clear it to see the rest.</Empty>
  return <Empty title="No agents in the background">Start one here, or with “holdpoint agents spawn”.</Empty>
}
