/** To watch one agent, and to reach its process. */
import { refused } from '../../../../core/errors.ts'
import { eventStream, type StreamEvent } from '../../../http/event-stream.ts'
import { isProblem, problemResponse } from '../../../http/problem.ts'
import { positionOf } from '../../route/position.ts'
import { type RestRoute, type RestSite, route, verb } from '../../route/rest-route.ts'
import { STREAM_OPTIONS, sinceParameter, UNKNOWN_POSITION } from '../../route/streams.ts'

const NOT_FOUND = 'There is no such agent.'

export const ATTENDING_ROUTES: readonly RestRoute[] = [
  verb('agents.follow', {
    type: 'text/event-stream',
    summary: 'An agent as it goes on: how it stands, all that waits of it, and the events and pieces of its session',
    query: { since: sinceParameter('0, the beginning of its session.') },
    answers: { 200: '#AgentStream', 404: NOT_FOUND, 409: UNKNOWN_POSITION },
    call: async ({ id: named, query: { since }, request, place }, { holdpoint }) => {
      const { id, session_id } = await holdpoint.agents.find(named)
      const newest = session_id === null ? 0 : await holdpoint.newestSeq(session_id)
      const position = positionOf(request, { since, beginning: 0, newest })
      if (isProblem(position)) return problemResponse(position)
      const stream = { id, since: position.since }
      return eventStream(place, signal => agentEvents(holdpoint, { ...stream, signal }), STREAM_OPTIONS)
    },
  }),
  route('POST /v1/agents/:id/attach', 'admin', {
    summary: 'The way to the process of an agent, for programs of the same user. Only the socket of a daemon tells it',
    answers: {
      200: '#AgentDoor',
      404: NOT_FOUND,
      409: 'It has no process now.',
      422: 'This is no socket of a daemon.',
    },
    call: async ({ id: named }, { holdpoint, doorOf }) => {
      if (doorOf === null) throw notHere()
      const { id, status, because } = await holdpoint.agents.find(named)
      const door = await doorOf(id)
      if (door !== null) return door
      throw refused('not_attached', `The agent has no process to attach to: ${because}.`, `It is ${status}.`)
    },
  }),
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
