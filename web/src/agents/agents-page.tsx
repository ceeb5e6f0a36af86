import { type ReactElement, useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { moved } from '../inbox/selection.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { AgentList } from './agent-list.tsx'
import { AgentView } from './agent-view.tsx'
import { type Agent, agentGroups, agentHasWords } from './data/agent-groups.ts'
import { useAgents } from './data/use-agents.ts'
import { ListTools } from './list-tools.tsx'

/** Agents in the background, and beside them the one that is open. On a phone there is room for one of them. */
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
