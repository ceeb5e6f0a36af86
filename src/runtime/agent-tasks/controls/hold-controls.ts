import { isOnRecord, type Receipt, type RecordedReceipt, receiptRefusal } from '../../../core/deciding/receipt.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { Hold, HoldStatus } from '../../../core/hold/hold.ts'
import { type HoldIds, holdDocument } from '../../../core/hold-view/hold-document.ts'
import type { RunPath } from '../../../core/run/run-path.ts'
import type { Fits } from '../../../core/text/json-schema.ts'
import type { ControlContext } from '../../../ports/agent/control.ts'
import { type StartedReport, startedReport } from '../../doubt/attend-started.ts'
import type { TaskSummary } from '../../face/tasks.ts'
import type { AgentTasksDeps } from '../agent-task.ts'
import { sameDecisionId } from '../same-decision-id.ts'
import { settleTask } from '../settle-task.ts'
import { showHolds, taskSummary } from '../task-report.ts'
import type { DECIDE_INPUT, HOLDS_INPUT, STOP_INPUT, WAIT_FOR_STARTED_INPUT } from './hold-schemas.ts'

export interface HoldDeps {
  readonly taskDeps: AgentTasksDeps
}

/** A hold, whose it is, and the task that waits for it. */
export type WaitingHold = Hold &
  HoldIds & {
    readonly task_id: string | null
    /** The newest pause of its run. */
    readonly checkpoint_id: string | null
    readonly path: RunPath
  }

export interface HoldPage {
  readonly holds: readonly WaitingHold[]
  /** Where to go on; `null` if there are no more. */
  readonly next: string | null
}

const PAGE = 50

export async function listHolds(
  { taskDeps: deps }: HoldDeps,
  { status = 'open', limit = PAGE, ...query }: Fits<typeof HOLDS_INPUT>,
  { actor: by, surface }: ControlContext,
): Promise<HoldPage> {
  const found = await deps.holdpoint.holds({ status, limit, ...query })
  await showHolds(deps, found, { by, surface })
  const paths = await deps.holdpoint.runPaths(found.map(({ run_id }) => run_id))
  const holds = await Promise.all(
    found.map(async hold => ({
      ...holdDocument(hold),
      task_id: await taskOf(deps, hold),
      checkpoint_id: (await deps.store.run(hold.run_id))?.checkpoint_id ?? null,
      path: paths.get(hold.run_id) ?? [],
    })),
  )
  return { holds, next: found.length < limit ? null : (found.at(-1)?.id ?? null) }
}

async function taskOf({ store }: AgentTasksDeps, { run_id: subject }: Hold): Promise<string | null> {
  const [task] = await store.tasks.tasks({ subject, limit: 1 })
  return task?.id ?? null
}

const USUAL_WAIT_SECONDS = 50

export async function waitForStarted(
  { taskDeps: deps }: HoldDeps,
  { hold_id, timeout_seconds = USUAL_WAIT_SECONDS }: Fits<typeof WAIT_FOR_STARTED_INPUT>,
  { signal }: ControlContext,
): Promise<StartedReport> {
  const timeoutMs = Math.round(timeout_seconds * 1000)
  return startedReport(await deps.holdpoint.waitForStarted(hold_id, { signal, timeoutMs }))
}

export async function stopStarted(
  { taskDeps: deps }: HoldDeps,
  { hold_id }: Fits<typeof STOP_INPUT>,
  { actor: by, surface }: ControlContext,
): Promise<StartedReport> {
  return startedReport(await deps.holdpoint.stopStarted(hold_id, { by, surface }))
}

/** The outcome of a decision, and the new state of its run and task. */
export interface ControlReceipt {
  readonly outcome: 'recorded' | 'duplicate'
  readonly hold_id: string
  readonly hold_status: HoldStatus
  readonly decision: object
  readonly run_id: string
  readonly run_status: string | null
  readonly task: TaskSummary | null
}

/** @throws RefusedError: the decision that was first, or the reason why this one cannot be. */
export async function decideHold(
  { taskDeps: deps }: HoldDeps,
  args: Fits<typeof DECIDE_INPUT>,
  { actor: decided_by, surface, editor = true }: ControlContext,
): Promise<ControlReceipt> {
  const input: DecisionInput = { ...args, decided_by, surface }
  const decision_id = args.decision_id ?? sameDecisionId(deps.ids, input)
  const { outcome, hold, decision } = recorded(
    await deps.holdpoint.decide(args.hold_id, { ...input, editor, decision_id }),
  )
  const { id: hold_id, status: hold_status, run_id } = hold
  return { outcome, hold_id, hold_status, decision, run_id, ...(await whereItStands(deps, run_id)) }
}

function recorded(receipt: Receipt): RecordedReceipt {
  if (isOnRecord(receipt)) return receipt
  throw receiptRefusal(receipt)
}

async function whereItStands(
  deps: AgentTasksDeps,
  runId: string,
): Promise<Pick<ControlReceipt, 'run_status' | 'task'>> {
  const [task] = await deps.tasks.tasks({ subject: runId, limit: 1 })
  const summary = task ? taskSummary(deps, await settleTask(deps, task)) : null
  return { run_status: (await deps.store.run(runId))?.status ?? null, task: summary }
}
