import { AGENT_STATUSES } from '../../../../core/fleet/agent-status.ts'
import type { AgentQuery } from '../../../../runtime/face/agents.ts'
import type { WhileWaiting } from '../../../../runtime/threads/send-message.ts'
import type { MessageContent } from '../../../../runtime/views/message-content.ts'
import { type RestRoute, signature } from '../../route/rest-route.ts'
import { described, NAME, object, PAGE, SAID, TEXT, words } from '../../route/schema-parts.ts'
import { foundAgent } from './found-agent.ts'

const UNKNOWN = { 404: 'There is no such agent.', 409: 'The beginning of an id stands for several.' }

type MessageMode = 'queue' | 'steer'

const WHILE_WAITING: Record<MessageMode, WhileWaiting> = { queue: 'queue', steer: 'supersede' }

type MessageBody = MessageContent & { readonly mode?: MessageMode }

/** Everywhere `:id` is the id of an agent, the beginning of it, or its name. */
export const AGENT_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/agents',
    role: 'viewer',
    summary: 'Background agents: those that need a person first, then the others that are not over, then the rest',
    query: {
      status: words(...AGENT_STATUSES),
      agent: described(NAME, 'The name of its definition.'),
      parent_run_id: described(NAME, 'Only those that this run started.'),
      ...PAGE,
    },
    answers: { 200: '#Agents' },
    answer: async ({ query }, { holdpoint }) => Response.json(await holdpoint.agents.list(query as AgentQuery)),
  },
  {
    method: 'GET',
    path: '/v1/agents/:id',
    role: 'viewer',
    summary: 'A background agent by its id, the beginning of it, or its name',
    answers: { 200: '#Agent', ...UNKNOWN },
    answer: ({ params: { id = '' } }, { holdpoint }) => foundAgent(() => holdpoint.agents.find(id)),
  },
  {
    method: 'POST',
    path: '/v1/agents/:id/messages',
    role: 'operator',
    summary: 'Say something to an agent. One that is parked or done goes on with it',
    takesKey: true,
    body: object({
      ...SAID,
      mode: described(
        words('queue', 'steer'),
        '`queue`: the agent hears it at the next boundary. `steer`: it takes the place of calls that wait. Default: queue.',
      ),
    }),
    answers: { 202: '#AgentSent', ...UNKNOWN, 410: 'The agent is over for good.' },
    answer: ({ params: { id = '' }, body, caller, proof, key }, { holdpoint }) => {
      const { mode = 'queue', ...content } = body as MessageBody
      const { by: author, surface } = signature({ caller, proof })
      const inputId = key ?? crypto.randomUUID()
      const message = { ...content, author, surface, inputId, whileWaiting: WHILE_WAITING[mode] }
      return foundAgent(() => holdpoint.agents.send(id, message), 202)
    },
  },
  {
    method: 'POST',
    path: '/v1/agents/:id/end',
    role: 'operator',
    summary: 'End the run of an agent that waits for a message',
    body: object({}),
    answers: {
      200: '#Agent',
      404: UNKNOWN[404],
      409: 'It works, or a message was quicker.',
      410: 'It is over already.',
    },
    answer: ({ params: { id = '' }, caller, proof }, { holdpoint }) =>
      foundAgent(() => holdpoint.agents.end(id, signature({ caller, proof }))),
  },
  {
    method: 'DELETE',
    path: '/v1/agents/:id',
    role: 'operator',
    summary: 'Kill an agent: stop what runs of it, and end its run for good',
    query: { reason: TEXT },
    answers: { 200: '#Agent', 404: UNKNOWN[404], 409: 'It is over already.' },
    answer: ({ params: { id = '' }, query, caller, proof }, { holdpoint }) => {
      const { reason = null } = query as { readonly reason?: string }
      return foundAgent(() => holdpoint.agents.kill(id, { ...signature({ caller, proof }), reason }))
    },
  },
]
