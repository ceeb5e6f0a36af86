/** To watch one agent, to reach its process, and to take it off the list. */
import { refused } from '../../../../core/errors.ts'
import { eventStream, type StreamEvent } from '../../../http/event-stream.ts'
import { isProblem, problemResponse } from '../../../http/problem.ts'
import { positionOf } from '../../route/position.ts'
import { type RestRoute, type RestSite, signature } from '../../route/rest-route.ts'
import { described, FLAG, object } from '../../route/schema-parts.ts'
import { STREAM_OPTIONS, sinceParameter, UNKNOWN_POSITION } from '../../route/streams.ts'
import { foundAgent, orNoAgent } from './found-agent.ts'

const NOT_FOUND = 'There is no such agent.'

export const ATTENDING_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/agents/:id/events',
    role: 'viewer',
    type: 'text/event-stream',
    summary: 'An agent as it goes on: how it stands, all that waits of it, and the events and pieces of its session',
    query: { since: sinceParameter('0, the beginning of its session.') },
    answers: { 200: '#AgentStream', 404: NOT_FOUND, 409: UNKNOWN_POSITION },
    answer: ({ params: { id: named = '' }, query, request, place }, { holdpoint }) =>
      orNoAgent(async () => {
        const { id, session_id } = await holdpoint.agents.find(named)
        const newest = session_id === null ? 0 : await holdpoint.newestSeq(session_id)
        const { since } = query as { readonly since?: number }
        const position = positionOf(request, { since, beginning: 0, newest })
        if (isProblem(position)) return problemResponse(position)
        const stream = { id, since: position.since }
        return eventStream(place, signal => agentEvents(holdpoint, { ...stream, signal }), STREAM_OPTIONS)
      }),
  },
  {
    method: 'POST',
    path: '/v1/agents/:id/remove',
    role: 'operator',
    summary: 'Take an agent that is over off the list, with its worktree. Its session stays',
    body: object({
      discard: described(
        FLAG,
        'Deletes work in its worktree, too, that is not committed or not merged. Default: false.',
      ),
    }),
    answers: {
      200: '#RemovedAgent',
      404: NOT_FOUND,
      409: 'It is not over, or its worktree has work that would be lost. Nothing was removed.',
    },
    answer: ({ params: { id = '' }, body, caller, proof }, { removeAgent }) => {
      const { discard = false } = body as { readonly discard?: boolean }
      return foundAgent(() => removeAgent(id, { ...signature({ caller, proof }), discard }))
    },
  },
  {
    method: 'POST',
    path: '/v1/agents/:id/attach',
    role: 'admin',
    summary: 'The way to the process of an agent, for programs of the same user. Only the socket of a daemon tells it',
    body: object({}),
    answers: {
      200: '#AgentDoor',
      404: NOT_FOUND,
      409: 'It has no process now.',
      422: 'This is no socket of a daemon.',
    },
    answer: ({ params: { id: named = '' } }, { holdpoint, doorOf }) =>
      foundAgent(async () => {
        if (doorOf === null) throw notHere()
        const { id, status, because } = await holdpoint.agents.find(named)
        const door = await doorOf(id)
        if (door !== null) return door
        throw refused('not_attached', `The agent has no process to attach to: ${because}.`, `It is ${status}.`)
      }),
  },
]

async function* agentEvents(
  { agents }: RestSite['holdpoint'],
  { id, ...options }: { readonly id: string; readonly since: number; readonly signal: AbortSignal },
): AsyncGenerator<StreamEvent> {
  for await (const news of agents.follow(id, options)) {
    if (news.kind === 'agent.status') yield { event: news.kind, data: news.agent }
    else if (news.kind === 'agent.holds') yield { event: news.kind, data: { holds: news.holds } }
    else yield { event: news.kind, data: news, ...('seq' in news && { id: news.seq }) }
  }
}

function notHere() {
  return refused(
    'not_over_server',
    'To attach is for programs of the machine and the user of the agent. Nothing was told.',
    'Ask the socket of the daemon there, or follow the events of the agent and send it messages here.',
  )
}
