/**
 * Agents as tools. Keeps: a run is durable before its call is answered, and no call that ends stops it. A pause is a
 * form for the person at the client, if the client has forms and the person may decide; otherwise it is reported in
 * the answer. A form outlives this process: its seal names the run.
 */

import { isOnRecord, type Receipt, receiptRefusal } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import { includesRole } from '../../../core/people/role.ts'
import { pauseAnswer, type TaskAnswer } from '../../../runtime/agent-tasks/controls/task-answer.ts'
import { sameDecisionId } from '../../../runtime/agent-tasks/same-decision-id.ts'
import { earlierDecisions, pauseDecisions } from '../../../runtime/pauses/pause-decisions.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import { listedAs, type McpAnswer, type McpCall, type McpTool } from '../offer/mcp-tool.ts'
import { type Running, SURFACE } from '../offer/offer.ts'
import { progressOf } from '../offer/progress-of.ts'
import type { RunDeps } from './run-deps.ts'
import { runToolResult, taskHandle } from './run-document.ts'
import { answersTo, askable, type FormAnswered, formsFor, type ShownRun, shownRun } from './run-forms.ts'
import { GET_RUN, RESUME_RUN, runAgentListing } from './run-schemas.ts'

/** Shorter than the patience of usual clients, which is 60 seconds. */
const USUAL_SECONDS = 50

export function runTools(deps: RunDeps): readonly McpTool[] {
  return [
    {
      // Agents come and go while the server runs.
      get listed() {
        return listedAs(runAgentListing(deps.running.agentNames())).listed
      },
      inputSchema: listedAs(runAgentListing([])).inputSchema,
      role: 'operator',
      call: call => goneOn(deps, call) ?? runAgent(deps, call),
    },
    { ...listedAs(RESUME_RUN), role: 'decider', call: call => goneOn(deps, call) ?? resumeRun(deps, call) },
    { ...listedAs(GET_RUN), role: 'viewer', call: call => getRun(deps, call) },
  ]
}

async function runAgent(deps: RunDeps, call: McpCall): Promise<McpAnswer> {
  const { prompt: input, agent = null } = call.args as { readonly prompt: string; readonly agent?: string }
  const { holdpoint, profileOf } = deps.running
  const profile = await profileOf(agent)
  const { id } = await holdpoint.start({ profile, input, author: call.identity.actor, surface: SURFACE })
  return call.client.takesTasks ? taskHandle(deps.running, id) : atRest(deps, call, id)
}

async function getRun(deps: RunDeps, call: McpCall): Promise<McpAnswer> {
  const { run_id, timeout_seconds: seconds = 0 } = call.args as {
    readonly run_id: string
    readonly timeout_seconds?: number
  }
  return runToolResult(await waited(deps, call, { runId: run_id, seconds }))
}

type ResumeArguments = TaskAnswer & { readonly run_id: string; readonly checkpoint_id?: string }

/** Does what `resume_task` does, for a run that is no task. */
async function resumeRun(deps: RunDeps, call: McpCall): Promise<McpAnswer> {
  const { run_id, checkpoint_id, tool_decisions, prompt } = call.args as unknown as ResumeArguments
  const { holdpoint, ids } = deps.running
  const request = pauseAnswer({ ...(tool_decisions && { tool_decisions }), ...(prompt !== undefined && { prompt }) })
  const view = await holdpoint.run(run_id)
  if (checkpoint_id !== undefined && checkpoint_id !== view.checkpoint_id)
    throw movedOn(checkpoint_id, view.checkpoint_id)
  const earlier = earlierDecisions(view, await holdpoint.checkpoint(view.checkpoint_id ?? ''))
  const by = { decided_by: call.identity.actor, surface: SURFACE }
  const said = pauseDecisions({ request, by, view, earlier })
  // A caller who missed the answer and repeats the same decisions has made them once.
  const editor = includesRole(call.identity.role, 'operator')
  const inputs = said.map(each => ({ ...each, editor, decision_id: sameDecisionId(ids, each) }))
  const receipts = inputs.length > 0 ? await holdpoint.decideMany(inputs, { all: true }) : []
  for (const receipt of receipts) refuseUnrecorded(receipt)
  return atRest(deps, call, run_id)
}

/** Continues a call whose form was returned; `null` for a new call. */
function goneOn(deps: RunDeps, call: McpCall): Promise<McpAnswer> | null {
  const shown = call.request.requestState<ShownRun | { readonly run_id?: never }>()
  return shown?.run_id === undefined ? null : recordedAndWaited(deps, call, shown)
}

async function recordedAndWaited(deps: RunDeps, call: McpCall, shown: ShownRun): Promise<McpAnswer> {
  const answered = await answersTo(deps, shown, call)
  const decisions = answered.flatMap(each => ('decision' in each ? [each.decision] : []))
  const receipts = decisions.length > 0 ? await deps.running.holdpoint.decideMany(decisions) : []
  const notes = [...answered.flatMap(noteOnAnswer), ...receipts.flatMap(noteOf)]
  // A person whose answer does not count is not asked again within the same call.
  if (notes.length === 0) return atRest(deps, call, shown.run_id)
  return runToolResult(await waited(deps, call, { runId: shown.run_id, seconds: secondsIn(call) }), notes.join(' '))
}

async function atRest(deps: RunDeps, call: McpCall, runId: string): Promise<McpAnswer> {
  const view = await waited(deps, call, { runId, seconds: secondsIn(call) })
  const holds = askable(view.holds, call)
  if (holds.length === 0) return runToolResult(view, noteOn(view))
  const inputRequests = await formsFor(deps, holds, call.identity.person)
  const requestState = await deps.seal.mint(shownRun(deps, runId, holds), call.context)
  return deps.sdk.inputRequired({ inputRequests, requestState })
}

function waited(
  deps: RunDeps,
  call: McpCall,
  { runId, seconds }: { readonly runId: string; readonly seconds: number },
) {
  const { signal, request } = call
  return restedRun(deps.running, runId, { seconds, signal, onProgress: progressOf(request) })
}

function secondsIn({ args }: McpCall): number {
  return (args as { readonly timeout_seconds?: number }).timeout_seconds ?? USUAL_SECONDS
}

const NOTES: Readonly<Record<string, string>> = {
  running: 'It goes on without you: get_run waits for it.',
  waiting:
    'It waits for a person. Show them pause_reason. resume_run gives their answer, or they decide elsewhere; then get_run waits for what comes of it.',
}

function noteOn({ status, stuck }: RunView): string | null {
  if (stuck) return `It is stuck. ${stuck.message} ${stuck.hint}`
  return NOTES[status] ?? null
}

function noteOnAnswer(answered: FormAnswered): string[] {
  if ('refusal' in answered) return [answered.refusal.message]
  return 'left' in answered ? [answered.left] : []
}

function noteOf(receipt: Receipt): string[] {
  return isOnRecord(receipt) ? [] : [receiptRefusal(receipt).message]
}

function refuseUnrecorded(receipt: Receipt): void {
  if (!isOnRecord(receipt)) throw receiptRefusal(receipt)
}

function movedOn(named: string, checkpoint_id: string | null): RefusedError {
  return new RefusedError('superseded', `The run has moved on from the pause ${named}, so nothing was decided.`, {
    hint: 'Look at what it waits for now, and decide that.',
    details: { checkpoint_id },
  })
}

interface RestWait {
  /** So long at most. */
  readonly seconds: number
  readonly signal: AbortSignal
  /** Receives a line for people for each event of the run. */
  readonly onProgress: (message: string) => void
}

/** The run once it waits or is done; as it is then, if that takes too long or no caller waits any more. */
async function restedRun({ holdpoint }: Running, runId: string, wait: RestWait): Promise<RunView> {
  const { thread_id } = await holdpoint.run(runId)
  // The sequence number is read before the row, so that a later pause is an event after it.
  const since = await holdpoint.newestSeq(thread_id)
  const rests = async () => (await holdpoint.runs({ run_id: runId }))[0]?.status !== 'running'
  const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(wait.seconds * 1000)])
  if (wait.seconds === 0 || (await rests())) return holdpoint.run(runId)
  for await (const event of holdpoint.follow(thread_id, { since, signal })) {
    if ('ephemeral' in event) continue
    wait.onProgress(event.kind)
    if (await rests()) break
  }
  return holdpoint.run(runId)
}
