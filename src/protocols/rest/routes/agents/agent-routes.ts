import { AGENT_STATUSES } from '../../../../core/fleet/agent-status.ts'
import { MESSAGE_MODES } from '../../../../core/fleet/frame-shapes.ts'
import type { MessageMode } from '../../../../core/fleet/frames.ts'
import {
  LONGEST_IDLE_TIMEOUT,
  NO_INTERACTIVE_SETTINGS,
  ON_IDLE,
} from '../../../../core/settings/interactive-settings.ts'
import { described, FLAG, object, type Schema, TEXT, whole, words } from '../../../../core/text/json-schema.ts'
import type { WhileWaiting } from '../../../../runtime/threads/send-message.ts'
import type { MessageContent } from '../../../../runtime/views/message-content.ts'
import { type RestRoute, verb } from '../../route/rest-route.ts'
import { CONTENT, NAME, PAGE, SAID } from '../../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such agent.' }
const UNCLEAR = { ...UNKNOWN, 409: 'The beginning of an id stands for several.' }

const WHILE_WAITING: Record<MessageMode, WhileWaiting> = { queue: 'queue', steer: 'supersede', interrupt: 'interrupt' }

/** Everywhere `:id` is the id of an agent, the beginning of it, or its name. */
export const AGENT_ROUTES: readonly RestRoute[] = [
  verb('agents.list', {
    summary: 'Background agents: those that need a person first, then the others that are not over, then the rest',
    query: {
      status: words(...AGENT_STATUSES),
      agent: described(NAME, 'The name of its definition.'),
      parent_run_id: described(NAME, 'Only those that this run started.'),
      ...PAGE,
    },
    answers: { 200: '#Agents' },
  }),
  verb('agents.spawn', {
    summary: 'Start an agent in the background, in the directory of the server',
    body: object(
      {
        agent: described(NAME, 'An agent of the project or of the user. Default: the agent of the project.'),
        input: CONTENT,
        name: described(NAME, 'Letters, digits, dots, dashes and underscores. No other agent that is not over has it.'),
        title: described(TEXT, 'One line for people. Default: the beginning of the input.'),
        timeout: described(whole(1), 'Seconds, of each of its processes. Default: no limit.'),
        interactive: described(
          FLAG,
          'Its process stays for the next message. Default: as the agent or the project says.',
        ),
        idle_timeout: described<Schema<number>>(
          { type: 'number', minimum: 0, maximum: LONGEST_IDLE_TIMEOUT },
          'Seconds without a message; 0: no limit.',
        ),
        on_idle: words(...ON_IDLE),
        worktree: described(FLAG, 'In a git worktree and on a branch of its own. Default: false.'),
      },
      ['input'],
    ),
    answers: {
      201: '#Agent',
      409: 'Another agent has the name, this caller started something else with this key, or there can be no worktree.',
      422: 'There is no such agent, or it cannot start.',
    },
    call: async ({ body, by, key }, { spawnAgent, backgroundOf }) => {
      const { agent = null, input, name = null, title = null, timeout = null, worktree = false, ...asked } = body
      const start = await backgroundOf(agent, { ...NO_INTERACTIVE_SETTINGS, ...asked })
      const once = key === null ? {} : { startId: key }
      const request = { ...start, input, name, title, timeout_seconds: timeout, ...once }
      const spawned = await spawnAgent({ request, starter: { ...by, runId: null }, worktree })
      return Response.json(spawned, { status: 201, headers: { location: `/v1/agents/${spawned.id}` } })
    },
  }),
  verb('agents.definitions', {
    summary: 'The agents of the project and of the user, by the names that a start takes',
    answers: { 200: '#Definitions' },
    call: async (_, { agentNames }) => ({ definitions: agentNames().map(name => ({ name })) }),
  }),
  verb('agents.find', {
    summary: 'A background agent by its id, the beginning of it, or its name',
    answers: { 200: '#Agent', ...UNCLEAR },
  }),
  verb('agents.send', {
    summary: 'Say something to an agent. One that is parked or done goes on with it',
    body: object({
      ...SAID,
      mode: described(
        words(...MESSAGE_MODES),
        '`queue`: the agent hears it at the next boundary. `steer`: it takes the place of calls that wait. `interrupt`: of what runs, too. Default: queue.',
      ),
    }),
    answers: { 202: '#AgentSent', ...UNCLEAR, 410: 'The agent is over for good.' },
    call: async ({ id, body: { mode = 'queue', ...content }, by: { by: author, surface }, key }, { holdpoint }) => {
      const message = { author, surface, inputId: key ?? crypto.randomUUID(), whileWaiting: WHILE_WAITING[mode] }
      return holdpoint.agents.send(id, { ...(content as MessageContent), ...message })
    },
  }),
  verb('agents.end', {
    summary: 'End the run of an agent that waits for a message',
    answers: { 200: '#Agent', ...UNKNOWN, 409: 'It works, or a message was quicker.', 410: 'It is over already.' },
  }),
  verb('agents.kill', {
    summary: 'Kill an agent: stop what runs of it, and end its run for good',
    query: { reason: TEXT },
    answers: { 200: '#Agent', ...UNKNOWN, 409: 'It is over already.' },
  }),
  verb('agents.respawn', {
    summary: 'Start an agent that is over anew, as another agent with the same definition and first message',
    answers: { 201: '#Agent', ...UNKNOWN, 409: 'It is not over.' },
    call: async ({ id, by }, { holdpoint }) => holdpoint.agents.respawn(id, { ...by, runId: null }),
  }),
  verb('agents.fork', {
    summary: 'Begin another agent from where this one stands',
    body: object({ name: NAME, text: described(TEXT, 'The task of the fork. Needed if the agent is done.') }),
    answers: { 201: '#Agent', ...UNKNOWN, 409: 'It stands at nothing to go on from, or the name is taken.' },
    call: async ({ id, body: { name = null, text = null }, by }, { holdpoint }) =>
      holdpoint.agents.fork(id, { starter: { ...by, runId: null }, name, text }),
  }),
  verb('agents.remove', {
    summary: 'Take an agent that is over off the list, with its worktree. Its session stays',
    body: object({
      discard: described(
        FLAG,
        'Deletes work in its worktree, too, that is not committed or not merged. Default: false.',
      ),
    }),
    answers: {
      200: '#RemovedAgent',
      ...UNKNOWN,
      409: 'It is not over, or its worktree has work that would be lost. Nothing was removed.',
    },
    call: async ({ id, body: { discard = false }, by }, { removeAgent }) => removeAgent(id, { ...by, discard }),
  }),
]
