/** JSON Schemas (2020-12) of what the controls of holds take and give. */
import type { JsonObject } from '../../../core/text/json.ts'
import { NULLABLE_TEXT, object, orNull, text } from './schema-parts.ts'
import { SUMMARY_SCHEMA } from './task-schemas.ts'

export const HOLDS_INPUT: JsonObject = object({
  status: {
    type: 'string',
    enum: ['open', 'decided', 'expired', 'withdrawn', 'exported'],
    description: 'Default: open.',
  },
  run_id: text('Only those of this run.'),
  limit: { type: 'integer', minimum: 1, maximum: 500, description: 'Default: 50.' },
  after: text('The `next` of the page before.'),
})

export const HOLDS_SCHEMA: JsonObject = object(
  {
    holds: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          kind: { type: 'string' },
          status: { type: 'string' },
          run_id: { type: 'string' },
          call_id: NULLABLE_TEXT,
          tool: NULLABLE_TEXT,
          message: { type: 'string' },
          task_id: { ...NULLABLE_TEXT, description: 'The task that waits for it.' },
          checkpoint_id: { ...NULLABLE_TEXT, description: 'The newest pause of its run.' },
          path: {
            type: 'array',
            description: 'From the root to the run that waits: parent, then child.',
            items: { type: 'object', properties: { run_id: { type: 'string' }, agent: { type: 'string' } } },
          },
        },
        required: ['id', 'kind', 'status', 'run_id', 'call_id', 'tool', 'message', 'task_id', 'checkpoint_id', 'path'],
      },
    },
    next: NULLABLE_TEXT,
  },
  ['holds', 'next'],
)

export const DECIDE_INPUT: JsonObject = object(
  {
    hold_id: text('The id of the hold, from list_holds or get_task_details.'),
    verdict: {
      type: 'string',
      enum: ['approve', 'reject', 'edit', 'respond', 'cancel'],
      description: 'edit approves with other arguments; respond answers a question, with value.',
    },
    arguments: { type: 'object', description: 'With edit: what to run instead, in full.' },
    value: { description: 'With respond: the answer.' },
    reason: text('Recorded, and shown to the agent on rejection.'),
    digest: text('The digest of the hold as you were shown it: refused if it is another one by now.'),
    decision_id: text('Your idempotency key. Default: the same decision said again counts once.'),
  },
  ['hold_id', 'verdict'],
)

export const RECEIPT_SCHEMA: JsonObject = object(
  {
    outcome: { type: 'string', enum: ['recorded', 'duplicate'] },
    hold_id: { type: 'string' },
    hold_status: { type: 'string' },
    decision: { type: 'object' },
    run_id: { type: 'string' },
    run_status: { type: ['string', 'null'] },
    task: orNull(SUMMARY_SCHEMA),
  },
  ['outcome', 'hold_id', 'hold_status', 'decision', 'run_id', 'run_status', 'task'],
)
