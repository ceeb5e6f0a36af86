import { HoldpointError } from '../../core/errors.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { ToolContext } from '../../ports/agent/tool.ts'

/** Thrown by `suspend` of a `toolContext`: where a run would hold the call, a test can look at what is asked. */
export class ToolSuspendedError extends HoldpointError {
  readonly code = 'tool_suspended'
  readonly request: SuspendRequest

  constructor(request: SuspendRequest) {
    super(`The tool suspended itself: ${request.message}`)
    this.request = request
  }
}

/**
 * What a tool is told when it runs, for a test that runs it by itself: call `tc_1` of run `run_1` of the agent `tester`
 * with the idempotency key `key-1`, never aborted, nothing said
 * or decided, in the directory `/`. Give the members that the test is about.
 *
 * `suspend` throws a `ToolSuspendedError` with the request; `report` tells nobody.
 */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    runId: 'run_1',
    agent: 'tester',
    toolCallId: 'tc_1',
    idempotencyKey: 'key-1',
    abortSignal: new AbortController().signal,
    messages: [],
    workdir: '/',
    decision: null,
    suspend: request => {
      throw new ToolSuspendedError(request)
    },
    report: () => {},
    ...overrides,
  }
}
