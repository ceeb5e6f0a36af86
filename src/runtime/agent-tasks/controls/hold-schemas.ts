/** JSON Schemas (2020-12) of what the controls of holds take and give. */
import { VERDICTS } from '../../../core/hold/decision.ts'
import { HOLD_STATUSES } from '../../../core/hold/hold.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import {
  complete,
  described,
  listOf,
  OBJECT,
  object,
  orNull,
  type Schema,
  TEXT,
  text,
  words,
} from '../../../core/text/json-schema.ts'
import { either, NULLABLE_TEXT, PAGE, SUMMARY_SCHEMA, seconds } from './task-schemas.ts'

export const HOLDS_INPUT = object({
  status: described(words(...HOLD_STATUSES), 'Default: open.'),
  run_id: text('Only those of this run.'),
  ...PAGE,
})

const HOLD: JsonObject = {
  ...{ id: TEXT, kind: TEXT, status: TEXT, run_id: TEXT, call_id: NULLABLE_TEXT, tool: NULLABLE_TEXT, message: TEXT },
  task_id: described(NULLABLE_TEXT, 'The task that waits for it.'),
  checkpoint_id: described(NULLABLE_TEXT, 'The newest pause of its run.'),
  path: {
    type: 'array',
    description: 'From the root to the run that waits: parent, then child.',
    items: { type: 'object', properties: { run_id: TEXT, agent: TEXT } },
  },
}
export const HOLDS_SCHEMA = complete({
  holds: listOf({ type: 'object', properties: HOLD, required: Object.keys(HOLD) }),
  next: NULLABLE_TEXT,
})

const DECISION_VALUE: Schema<Json> = { description: 'With respond: the answer.' }
export const DECIDE_INPUT = object(
  {
    hold_id: text('The id of the hold, from list_holds or get_task_details.'),
    verdict: described(
      words(...VERDICTS),
      'edit approves with other arguments; respond answers a question, with value.',
    ),
    arguments: described(OBJECT, 'With edit: what to run instead, in full.'),
    value: DECISION_VALUE,
    reason: text('Recorded, and shown to the agent on rejection.'),
    digest: text('The digest of the hold as you were shown it: refused if it is another one by now.'),
    decision_id: text('Your idempotency key. Default: the same decision said again counts once.'),
  },
  ['hold_id', 'verdict'],
)

const HOLD_IN_DOUBT = text('The id of a hold in doubt, from list_holds.')
export const STOP_INPUT = object({ hold_id: HOLD_IN_DOUBT }, ['hold_id'])
export const WAIT_FOR_STARTED_INPUT = object(
  { hold_id: HOLD_IN_DOUBT, timeout_seconds: seconds('The wait ends then at the latest. Default: 50.') },
  ['hold_id'],
)
export const STARTED_SCHEMA = complete({ hold_id: TEXT, hold_status: TEXT, still_running: orNull(OBJECT) })

export const RECEIPT_SCHEMA = complete({
  outcome: words('recorded', 'duplicate'),
  ...{ hold_id: TEXT, hold_status: TEXT, decision: OBJECT, run_id: TEXT, run_status: NULLABLE_TEXT },
  task: either(SUMMARY_SCHEMA),
})
