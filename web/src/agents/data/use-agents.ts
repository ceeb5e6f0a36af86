import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { AGENT_IS_OVER } from '../../../../src/core/fleet/agent-status.ts'
import { get } from '../../api/client.ts'
import type { Change, Documents } from '../../api/documents.ts'
import { useFresh } from '../../api/use-fresh.ts'
import type { Agent } from './agent-groups.ts'

/** The server reports each change that it can see. No event reports that a lease on another machine ran out. */
export const LOOK_AGAIN_MS = 30_000

const KEY = ['agents']

export interface FleetRows {
  /** `undefined` until the first of them are there. */
  readonly agents: readonly Agent[] | undefined
  readonly error: unknown
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly again: () => void
}

/** All agents that are not over, and the newest of the others. */
export function useAgents(): FleetRows {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: KEY,
    queryFn: ({ pageParam: after, signal }) => get<Documents['Agents']>('/v1/agents', { after }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ agents }) => agents.some(mayChangeUnseen)) ? LOOK_AGAIN_MS : false,
  })
  useFresh(KEY, concernsAgents)
  const agents = useMemo(() => data && unique(data.pages.flatMap(page => page.agents)), [data])
  return {
    ...{ agents, error: agents ? null : error, hasMore: hasNextPage, isLoadingMore: isFetchingNextPage },
    loadMore: () => void fetchNextPage(),
    again: () => void refetch(),
  }
}

/** Without a process nothing happens that is not on record. */
function mayChangeUnseen({ status }: Agent): boolean {
  return !AGENT_IS_OVER[status] && status !== 'parked'
}

/** A hold that was shown, or a refused caller, changes no agent. */
export function concernsAgents({ kind }: Change): boolean {
  return /^(run|task|hold|message|agents)\./.test(kind) && kind !== 'hold.shown'
}

/** An agent that ended while the pages were read may be on two of them. */
function unique(agents: readonly Agent[]): readonly Agent[] {
  return [...new Map(agents.toReversed().map(agent => [agent.id, agent])).values()].toReversed()
}

interface AgentNow {
  readonly agent: Agent | undefined
  readonly error: unknown
  readonly again: () => void
}

export function useAgent(id: string): AgentNow {
  const { data, error, refetch } = useQuery({
    queryKey: ['agent', id],
    queryFn: ({ signal }) => get<Agent>(`/v1/agents/${id}`, {}, signal),
    refetchInterval: LOOK_AGAIN_MS,
  })
  useFresh(['agent', id], concernsAgents)
  return { agent: data, error: data ? null : error, again: () => void refetch() }
}
