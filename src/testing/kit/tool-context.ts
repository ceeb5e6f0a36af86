import { HoldpointError } from '../../core/errors.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { ToolContext } from '../../ports/agent/tool.ts'
import type { GraphStore } from '../../ports/store/graphs.ts'

/** Thrown by `suspend` of a `toolContext`: where a run would hold the call, a test can look at what is asked. */
export class ToolSuspendedError extends HoldpointError {
  readonly code = 'tool_suspended'
  readonly request: SuspendRequest

  constructor(request: SuspendRequest) {
    super(`The tool suspended itself: ${request.message}`)
    this.request = request
  }
}

const noGraphs = async (): Promise<never> => {
  throw new TypeError("This tool keeps a graph: give `graphs` of a store, `(await openStore('memory:', …)).graphs`.")
}
const NO_GRAPHS: GraphStore = { put: noGraphs, putWrites: noGraphs, find: noGraphs, heads: noGraphs, forget: noGraphs }

/**
 * The context of a tool that runs, for a test that runs it by itself: call `tc_1` of run `run_1` of thread `th_1` of the
 * agent `tester` with the idempotency key `key-1`, never aborted, nothing said or decided, in the directory `/`. Give the
 * members that the test is about.
 *
 * `suspend` throws a `ToolSuspendedError` with the request; `report` does nothing.
 */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    runId: 'run_1',
    agent: 'tester',
    threadId: 'th_1',
    graphs: NO_GRAPHS,
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
