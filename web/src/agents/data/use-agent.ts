import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/client.ts'
import { useFresh } from '../../api/use-fresh.ts'
import type { Agent } from './agent-groups.ts'
import { concernsAgents, LOOK_AGAIN_MS } from './use-agents.ts'

interface AgentNow {
  readonly agent: Agent | undefined
  readonly error: unknown
  readonly again: () => void
}

/** One agent as it stands. */
export function useAgent(id: string): AgentNow {
  const { data, error, refetch } = useQuery({
    queryKey: ['agent', id],
    queryFn: ({ signal }) => get<Agent>(`/v1/agents/${id}`, {}, signal),
    refetchInterval: LOOK_AGAIN_MS,
  })
  useFresh(['agent', id], concernsAgents)
  return { agent: data, error: data ? null : error, again: () => void refetch() }
}
