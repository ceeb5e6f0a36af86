import { type ReactElement, useMemo, useRef, useState } from 'react'
import { useParams, useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { isOperator, useMe } from '../api/session.ts'
import { moved } from '../inbox/selection.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { AgentRow } from './agent-row.tsx'
import { AgentView } from './agent-view.tsx'
import { type Agent, type AgentGroup, agentGroups, agentHasWords, calledAs } from './data/agent-groups.ts'
import { type FleetRows, useAgents } from './data/use-agents.ts'
import { SpawnDialog } from './dialogs/spawn-dialog.tsx'

/** Agents in the background, next to the one that is open. A phone has room for one of the two. */
export function AgentsPage(): ReactElement {
  const { id: open = null } = useParams<{ id?: string }>()
  const [given, setGiven] = useSearchParams()
  const words = given.get('words') ?? ''
  const search = words === '' ? '' : `?${new URLSearchParams({ words })}`
  const fleet = useAgents()
  const groups = useMemo(() => fleet.agents && agentGroups(narrowed(fleet.agents, words.trim())), [fleet.agents, words])
  const shown = useMemo(() => groups?.flatMap(group => group.agents) ?? [], [groups])
  const cursor = useListKeys(shown, { open, search })
  return (
    <div className="grid h-full grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(22rem,27rem)_minmax(0,1fr)]">
      <section
        aria-label="Agents"
        className={`flex min-h-0 flex-col border-line border-r bg-card ${open ? 'max-lg:hidden' : ''}`}
      >
        {!open && <h1 className="sr-only">Agents</h1>}
        <ListTools words={words} onWords={next => setGiven(next === '' ? {} : { words: next }, { replace: true })} />
        {groups ? (
          <AgentList {...{ groups, fleet, search, open, cursor, words }} />
        ) : fleet.error ? (
          <Trouble error={fleet.error} again={fleet.again} />
        ) : (
          <Loading rows={8} />
        )}
      </section>
      <section aria-label="The agent" className={`min-h-0 ${open ? '' : 'max-lg:hidden'}`}>
        {open ? <AgentView key={open} id={open} search={search} /> : shown.length > 0 && <Choose />}
      </section>
    </div>
  )
}

function Choose(): ReactElement {
  return <Empty title="Choose an agent">With j and k you move, Enter opens, h goes to what it asks.</Empty>
}

function narrowed(agents: readonly Agent[], words: string): readonly Agent[] {
  return words === '' ? agents : agents.filter(agent => agentHasWords(agent, words))
}

interface Opened {
  readonly open: string | null
  readonly search: string
}

/** The id that the keys are at: that of the open agent if there is one. */
function useListKeys(agents: readonly Agent[], { open, search }: Opened): string | null {
  const [last, setLast] = useState<string | null>(open)
  const cursor = open ?? last
  const ids = agents.map(({ id }) => id)
  const hold = agents.find(({ id }) => id === cursor)?.first_hold
  const move = (by: number) => {
    const to = moved(ids, cursor, by)
    setLast(to)
    if (open && to) navigate(`/agents/${to}${search}`, { replace: true })
  }
  useVerbs({
    next: () => move(1),
    previous: () => move(-1),
    open: () => cursor && navigate(`/agents/${cursor}${search}`),
    back: () => {
      setLast(cursor)
      if (open) navigate(`/agents${search}`)
    },
    ...(hold && { hold: () => navigate(`/holds/${hold.id}`) }),
  })
  return cursor
}

interface ToolsProps {
  readonly words: string
  readonly onWords: (words: string) => void
}

/** Above the list: what it shows, and the way to another agent. */
function ListTools({ words, onWords }: ToolsProps): ReactElement {
  const field = useRef<HTMLInputElement>(null)
  const [isStarting, start] = useState(false)
  const isAllowed = isOperator(useMe())
  useVerbs({ filter: () => field.current?.focus(), ...(isAllowed && { new: () => start(true) }) })
  return (
    <div className="flex gap-1.5 border-line border-b p-3">
      <search className="min-w-0 flex-1">
        <input
          ref={field}
          type="search"
          aria-label="Filter the agents"
          placeholder="Filter"
          value={words}
          onChange={({ target }) => onWords(target.value)}
          className="min-h-11 w-full rounded-lg border border-line bg-sunken px-3 placeholder:text-muted sm:min-h-10"
        />
      </search>
      {isAllowed && <Button onClick={() => start(true)}>New agent</Button>}
      {isStarting && <SpawnDialog onClose={() => start(false)} />}
    </div>
  )
}

interface ListProps {
  readonly groups: readonly AgentGroup[]
  readonly fleet: FleetRows
  readonly search: string
  readonly open: string | null
  readonly cursor: string | null
  readonly words: string
}

/** The agents by what they need. */
function AgentList({ groups, fleet, search, open, cursor, words }: ListProps): ReactElement {
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
