import { HoldpointError } from '../../core/errors.ts'
import type { Decision } from '../../core/hold/decision.ts'
import { shownBasis } from '../../core/hold/hold-digests.ts'
import { isSameJson, type Json } from '../../core/text/json.ts'
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
 * agent `tester` with the idempotency key `key-1`, never aborted, without messages or decisions, in the directory `/`. Give the
 * members that the test is about.
 *
 * `suspend` throws a `ToolSuspendedError` with the request; `report` and `warn` do nothing.
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
    suspended: null,
    suspend: request => {
      throw new ToolSuspendedError(request)
    },
    mayAsk: true,
    warn: () => {},
    report: () => {},
    ...overrides,
  }
}

/**
 * The context of a tool that asked with `request`, once it is approved: `toolContext({ ...suspendedBy(request) })`. Give the
 * members of the decision that the test is about. `confirm` throws a `ToolSuspendedError` if the basis is another.
 */
export function suspendedBy(
  request: SuspendRequest,
  decision: Partial<Decision> = {},
): Pick<ToolContext, 'decision' | 'suspended'> {
  const said: Decision = { ...APPROVED, ...decision }
  const confirm = (basis: Json, anew: Partial<SuspendRequest> = {}) => {
    if (!isSameJson(basis, shownBasis(request))) throw new ToolSuspendedError({ ...request, ...anew, basis })
  }
  const basis = shownBasis(request)
  return {
    decision: said,
    suspended: { holdId: 'hold_1', context: request.context ?? null, basis, decision: said, confirm },
  }
}

const APPROVED: Decision = {
  ...{ decision_id: 'dec_1', verdict: 'approve', arguments: null, value: null, reason: null, digest: null },
  ...{ decided_by: 'ana', surface: 'test', at: '2030-01-01T00:00:00.000Z', grant: null },
}
