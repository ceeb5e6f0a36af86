/**
 * Agents as tools. Keeps: a run is durable before its call is answered, and no call that ends stops it. A pause is a form
 * for the person at the client, if the client has forms and the person may decide; otherwise it is told as it is. A form
 * outlives this process: its seal names the run.
 */

import { isOnRecord, type Receipt, receiptRefusal } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import { pauseAnswer, type TaskAnswer } from '../../../runtime/agent-tasks/controls/task-answer.ts'
import { sameDecisionId } from '../../../runtime/agent-tasks/same-decision-id.ts'
import { earlierDecisions, pauseDecisions } from '../../../runtime/pauses/pause-decisions.ts'
import { listedAs, type McpAnswer, type McpCall, type McpTool } from '../offer/mcp-tool.ts'
import { SURFACE } from '../offer/offer.ts'
import { progressOf } from '../offer/progress-of.ts'
import { restedRun } from './rested-run.ts'
import { runToolResult } from './run-document.ts'
import { answersTo, askable, type FormAnswered, formsFor, type ShownRun, shownRun } from './run-forms.ts'
import { GET_RUN, RESUME_RUN, runAgentListing } from './run-schemas.ts'
import type { RunSite } from './run-site.ts'
import { taskHandle } from './task-document.ts'

/** Shorter than the patience of usual clients, which is 60 seconds. */
const USUAL_SECONDS = 50

export function runTools(site: RunSite): readonly McpTool[] {
  return [
    {
      // Agents come and go while the server runs.
      get listed() {
        return listedAs(runAgentListing(site.running.agentNames())).listed
      },
      inputSchema: listedAs(runAgentListing([])).inputSchema,
      role: 'operator',
      call: call => goneOn(site, call) ?? runAgent(site, call),
    },
    { ...listedAs(RESUME_RUN), role: 'decider', call: call => goneOn(site, call) ?? resumeRun(site, call) },
    { ...listedAs(GET_RUN), role: 'viewer', call: call => getRun(site, call) },
  ]
}

async function runAgent(site: RunSite, call: McpCall): Promise<McpAnswer> {
  const { prompt: input, agent = null } = call.args as { readonly prompt: string; readonly agent?: string }
  const { holdpoint, profileOf } = site.running
  const profile = await profileOf(agent)
  const { id } = await holdpoint.start({ profile, input, author: call.identity.actor, surface: SURFACE })
  return call.client.takesTasks ? taskHandle(site.running, id) : atRest(site, call, id)
}

async function getRun(site: RunSite, call: McpCall): Promise<McpAnswer> {
  const { run_id, timeout_seconds: seconds = 0 } = call.args as {
    readonly run_id: string
    readonly timeout_seconds?: number
  }
  return runToolResult(await waited(site, call, { runId: run_id, seconds }))
}

type ResumeArguments = TaskAnswer & { readonly run_id: string; readonly checkpoint_id?: string }

/** As `resume_task`, for a run that is no task. */
async function resumeRun(site: RunSite, call: McpCall): Promise<McpAnswer> {
  const { run_id, checkpoint_id, tool_decisions, prompt } = call.args as unknown as ResumeArguments
  const { holdpoint, ids } = site.running
  const request = pauseAnswer({ ...(tool_decisions && { tool_decisions }), ...(prompt !== undefined && { prompt }) })
  const view = await holdpoint.run(run_id)
  if (checkpoint_id !== undefined && checkpoint_id !== view.checkpoint_id)
    throw movedOn(checkpoint_id, view.checkpoint_id)
  const earlier = earlierDecisions(view, await holdpoint.checkpoint(view.checkpoint_id ?? ''))
  const by = { decided_by: call.identity.actor, surface: SURFACE }
  const said = pauseDecisions({ request, by, view, earlier })
  // A caller who missed the answer and repeats the same decisions has made them once.
  const inputs = said.map(each => ({ ...each, decision_id: sameDecisionId(ids, each) }))
  const receipts = inputs.length > 0 ? await holdpoint.decideMany(inputs, { all: true }) : []
  for (const receipt of receipts) refuseUnrecorded(receipt)
  return atRest(site, call, run_id)
}

/** Goes on with a call whose form came back; `null` for a new call. */
function goneOn(site: RunSite, call: McpCall): Promise<McpAnswer> | null {
  const shown = call.request.requestState<ShownRun | { readonly run_id?: never }>()
  return shown?.run_id === undefined ? null : recordedAndWaited(site, call, shown)
}

async function recordedAndWaited(site: RunSite, call: McpCall, shown: ShownRun): Promise<McpAnswer> {
  const answered = await answersTo(site, shown, call)
  const decisions = answered.flatMap(each => ('decision' in each ? [each.decision] : []))
  const receipts = decisions.length > 0 ? await site.running.holdpoint.decideMany(decisions) : []
  const notes = [...answered.flatMap(noteOnAnswer), ...receipts.flatMap(noteOf)]
  // A person who said nothing that counts is not asked again within the same call.
  if (notes.length === 0) return atRest(site, call, shown.run_id)
  return runToolResult(await waited(site, call, { runId: shown.run_id, seconds: secondsIn(call) }), notes.join(' '))
}

async function atRest(site: RunSite, call: McpCall, runId: string): Promise<McpAnswer> {
  const view = await waited(site, call, { runId, seconds: secondsIn(call) })
  const holds = askable(view.holds, call)
  if (holds.length === 0) return runToolResult(view, noteOn(view.status))
  const inputRequests = await formsFor(site, holds, call.identity.person)
  const requestState = await site.seal.mint(shownRun(site, runId, holds), call.context)
  return site.sdk.inputRequired({ inputRequests, requestState })
}

function waited(
  site: RunSite,
  call: McpCall,
  { runId, seconds }: { readonly runId: string; readonly seconds: number },
) {
  const { signal, request } = call
  return restedRun(site.running, runId, { seconds, signal, onProgress: progressOf(request) })
}

function secondsIn({ args }: McpCall): number {
  return (args as { readonly timeout_seconds?: number }).timeout_seconds ?? USUAL_SECONDS
}

const NOTES: Readonly<Record<string, string>> = {
  running: 'It goes on without you: get_run waits for it.',
  waiting:
    'It waits for a person. Show them pause_reason. resume_run gives their answer, or they decide elsewhere; then get_run waits for what comes of it.',
}

function noteOn(status: string): string | null {
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
