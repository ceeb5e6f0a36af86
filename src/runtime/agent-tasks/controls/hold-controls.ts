import type { Receipt } from '../../../core/deciding/receipt.ts'
import { alreadyDecided } from '../../../core/hold/already-decided.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { Hold, HoldStatus } from '../../../core/hold/hold.ts'
import { type HoldIds, holdDocument } from '../../../core/hold-view/hold-document.ts'
import type { RunPath } from '../../../core/run/run-path.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import type { ControlContext } from '../../../ports/agent/control.ts'
import type { TaskSummary } from '../../face/tasks.ts'
import type { AgentTasksDeps } from '../agent-task.ts'
import { sameDecisionId } from '../same-decision-id.ts'
import { settleTask } from '../settle-task.ts'
import { showHolds } from '../show-holds.ts'
import { taskSummary } from '../task-report.ts'

export interface HoldDeps {
  readonly site: AgentTasksDeps
}

interface HoldsArguments {
  readonly status?: HoldStatus
  readonly run_id?: string
  readonly limit?: number
  readonly after?: string
}

/** A hold, whose it is, and the task that waits for it. */
export type WaitingHold = Hold &
  HoldIds & {
    readonly task_id: string | null
    /** The newest pause of its run. */
    readonly checkpoint_id: string | null
    readonly path: RunPath
  }

/** One page of holds. */
export interface HoldPage {
  readonly holds: readonly WaitingHold[]
  /** Where to go on; `null` if there are no more. */
  readonly next: string | null
}

const PAGE = 50

export async function listHolds(
  { site }: HoldDeps,
  { status = 'open', limit = PAGE, ...query }: HoldsArguments,
  { actor: by, surface }: ControlContext,
): Promise<HoldPage> {
  const found = await site.holdpoint.holds({ status, limit, ...query })
  await showHolds(site, found, { by, surface })
  const paths = await site.holdpoint.runPaths(found.map(({ run_id }) => run_id))
  const holds = await Promise.all(
    found.map(async hold => ({
      ...holdDocument(hold),
      task_id: await taskOf(site, hold),
      checkpoint_id: (await site.store.run(hold.run_id))?.checkpoint_id ?? null,
      path: paths.get(hold.run_id) ?? [],
    })),
  )
  return { holds, next: found.length < limit ? null : (found.at(-1)?.id ?? null) }
}

async function taskOf({ store }: AgentTasksDeps, { run_id: subject }: Hold): Promise<string | null> {
  const [task] = await store.tasks.tasks({ subject, limit: 1 })
  return task?.id ?? null
}

interface DecideArguments {
  readonly hold_id: string
  readonly verdict: DecisionInput['verdict']
  readonly arguments?: JsonObject
  readonly value?: Json
  readonly reason?: string
  readonly digest?: string
  readonly decision_id?: string
}

/** The outcome of a decision, and how its run and task stand. */
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
  { site }: HoldDeps,
  args: DecideArguments,
  { actor: decided_by, surface }: ControlContext,
): Promise<ControlReceipt> {
  const said: DecisionInput = { ...args, decided_by, surface }
  const decision_id = args.decision_id ?? sameDecisionId(site.ids, said)
  const { outcome, hold, decision } = recorded(await site.holdpoint.decide(args.hold_id, { ...said, decision_id }))
  const { id: hold_id, status: hold_status, run_id } = hold
  return { outcome, hold_id, hold_status, decision, run_id, ...(await whereItStands(site, run_id)) }
}

function recorded(receipt: Receipt): Extract<Receipt, { outcome: 'recorded' | 'duplicate' }> {
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') throw alreadyDecided(receipt.hold.id, receipt.winner)
  return receipt
}

async function whereItStands(
  site: AgentTasksDeps,
  runId: string,
): Promise<Pick<ControlReceipt, 'run_status' | 'task'>> {
  const [task] = await site.tasks.tasks({ subject: runId, limit: 1 })
  const summary = task ? taskSummary(site, await settleTask(site, task)) : null
  return { run_status: (await site.store.run(runId))?.status ?? null, task: summary }
}
