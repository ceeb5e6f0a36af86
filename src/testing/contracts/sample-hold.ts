/** A hold for tests; fields that a test does not name are filled in. */

import type { Hold } from '../../core/hold/hold.ts'
import { NO_TIMING } from '../../core/people/due.ts'

export function aHold(changes: Partial<Hold> = {}): Hold {
  return {
    ...NO_TIMING,
    id: 'hold_1',
    kind: 'approval',
    status: 'open',
    run_id: 'run_1',
    thread_id: 'th_1',
    agent: 'tester',
    call_id: 'call_1',
    tool: 'work',
    arguments: { of: 'call_1' },
    digest: 'sha256:1',
    message: 'May work run?',
    context: null,
    choices: null,
    response_schema: null,
    resume_mode: 'replay_tool_call',
    tool_schema: null,
    destructive: false,
    deciders: null,
    requesters: [],
    opened_at: '2030-01-01T00:00:00.000Z',
    level: 0,
    reminded: 0,
    votes: [],
    decision: null,
    ...changes,
  }
}
