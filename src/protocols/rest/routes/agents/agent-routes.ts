import { AGENT_STATUSES } from '../../../../core/fleet/agent-status.ts'
import { MESSAGE_MODES, type MessageMode } from '../../../../core/fleet/frames.ts'
import type { Content } from '../../../../core/message/part.ts'
import {
  type InteractiveSettings,
  LONGEST_IDLE_TIMEOUT,
  NO_INTERACTIVE_SETTINGS,
} from '../../../../core/settings/interactive-settings.ts'
import type { AgentQuery } from '../../../../runtime/face/agents.ts'
import type { WhileWaiting } from '../../../../runtime/threads/send-message.ts'
import type { MessageContent } from '../../../../runtime/views/message-content.ts'
import { type RestRoute, signature } from '../../route/rest-route.ts'
import { CONTENT, described, FLAG, NAME, object, PAGE, SAID, TEXT, words } from '../../route/schema-parts.ts'
import { foundAgent } from './found-agent.ts'

const UNKNOWN = { 404: 'There is no such agent.', 409: 'The beginning of an id stands for several.' }

const WHILE_WAITING: Record<MessageMode, WhileWaiting> = { queue: 'queue', steer: 'supersede', interrupt: 'interrupt' }

interface SpawnBody extends Partial<InteractiveSettings> {
  readonly agent?: string
  readonly input: Content
  readonly name?: string
  readonly title?: string
  readonly timeout?: number
  readonly worktree?: boolean
}

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
    method: 'POST',
    path: '/v1/agents',
    role: 'operator',
    summary: 'Start an agent in the background, in the directory of the server',
    takesKey: true,
    body: object(
      {
        agent: described(NAME, 'An agent of the project or of the user. Default: the agent of the project.'),
        input: CONTENT,
        name: described(NAME, 'Letters, digits, dots, dashes and underscores. No other agent that is not over has it.'),
        title: described(TEXT, 'One line for people. Default: the beginning of the input.'),
        timeout: described({ type: 'integer', minimum: 1 }, 'Seconds, of each of its processes. Default: no limit.'),
        interactive: described(
          FLAG,
          'Its process stays for the next message. Default: as the agent or the project says.',
        ),
        idle_timeout: described(
          { type: 'number', minimum: 0, maximum: LONGEST_IDLE_TIMEOUT },
          'Seconds without a message; 0: no limit.',
        ),
        on_idle: words('end', 'park'),
        worktree: described(FLAG, 'In a git worktree and on a branch of its own. Default: false.'),
      },
      ['input'],
    ),
    answers: {
      201: '#Agent',
      409: 'Another agent has the name, this caller started something else with this key, or there can be no worktree.',
      422: 'There is no such agent, or it cannot start.',
    },
    answer: async ({ body, caller, proof, key }, { spawnAgent, backgroundOf }) => {
      const {
        agent = null,
        input,
        name = null,
        title = null,
        timeout = null,
        worktree = false,
        ...asked
      } = body as SpawnBody
      const start = await backgroundOf(agent, { ...NO_INTERACTIVE_SETTINGS, ...asked })
      const once = key === null ? {} : { startId: key }
      const request = { ...start, input, name, title, timeout_seconds: timeout, ...once }
      const starter = { ...signature({ caller, proof }), runId: null }
      const spawned = await spawnAgent({ request, starter, worktree })
      return Response.json(spawned, { status: 201, headers: { location: `/v1/agents/${spawned.id}` } })
    },
  },
  {
    method: 'GET',
    path: '/v1/definitions',
    role: 'viewer',
    summary: 'The agents of the project and of the user, by the names that a start takes',
    answers: { 200: '#Definitions' },
    answer: async (_, { agentNames }) => Response.json({ definitions: agentNames().map(name => ({ name })) }),
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
        words(...MESSAGE_MODES),
        '`queue`: the agent hears it at the next boundary. `steer`: it takes the place of calls that wait. `interrupt`: of what runs, too. Default: queue.',
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
  {
    method: 'POST',
    path: '/v1/agents/:id/respawn',
    role: 'operator',
    summary: 'Start an agent that is over anew, as another agent with the same definition and first message',
    body: object({}),
    answers: { 201: '#Agent', 404: UNKNOWN[404], 409: 'It is not over.' },
    answer: ({ params: { id = '' }, caller, proof }, { holdpoint }) =>
      foundAgent(() => holdpoint.agents.respawn(id, { ...signature({ caller, proof }), runId: null }), 201),
  },
  {
    method: 'POST',
    path: '/v1/agents/:id/fork',
    role: 'operator',
    summary: 'Begin another agent from where this one stands',
    body: object({ name: NAME, text: described(TEXT, 'The task of the fork. Needed if the agent is done.') }),
    answers: { 201: '#Agent', 404: UNKNOWN[404], 409: 'It stands at nothing to go on from, or the name is taken.' },
    answer: ({ params: { id = '' }, body, caller, proof }, { holdpoint }) => {
      const { name = null, text = null } = body as { readonly name?: string; readonly text?: string }
      const starter = { ...signature({ caller, proof }), runId: null }
      return foundAgent(() => holdpoint.agents.fork(id, { starter, name, text }), 201)
    },
  },
]
