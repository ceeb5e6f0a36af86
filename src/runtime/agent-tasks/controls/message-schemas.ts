/** JSON Schemas (2020-12) of what is said to an agent, and of what becomes of it. */
import type { JsonObject } from '../../../core/text/json.ts'
import { object, text } from './schema-parts.ts'

export const MESSAGE_INPUT: JsonObject = object(
  {
    task_id: text('The id of the task.'),
    text: text('What to say.'),
    now: { type: 'boolean', description: 'True: in place of the calls that wait for a decision, which are cancelled.' },
    interrupt: { type: 'boolean', description: 'True: in place of what runs, too, which is stopped for it.' },
    input_id: text('Your idempotency key: a message that is sent twice with it is one.'),
  },
  ['task_id', 'text'],
)

export const SENT_SCHEMA: JsonObject = object(
  {
    outcome: { type: 'string', enum: ['queued', 'answered', 'superseded', 'started', 'duplicate'] },
    run_id: { type: 'string' },
    status: { type: 'string', description: 'How the agent stands now: running, waiting, idle, parked, done, …' },
    because: { type: 'string' },
  },
  ['outcome', 'run_id', 'status', 'because'],
)
