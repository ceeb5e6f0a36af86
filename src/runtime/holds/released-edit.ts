import { canAskOthers, reachesFurther } from '../../core/deciding/edit-reach.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { issueList } from '../../core/plain/issue-list.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { digestNow } from '../definitions/call-digest.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { fitOfEdit, fittedBy } from '../gate/fit-arguments.ts'
import { type RulingNow, rulingOn } from '../policy/ruling.ts'
import { newestRun } from '../views/profile-of.ts'

interface ReleasedEdit {
  /** `null` if the call is held anew, for others to decide. */
  readonly digest: string | null
  readonly arguments: JsonObject
  readonly fitted?: string
}

/**
 * Edited arguments must fit the tool, and `never` stays never. With what the schema fills in. @throws RefusedError if they
 * do not.
 */
export async function releasedEdit(runtime: Runtime, hold: Hold, input: DecisionInput): Promise<ReleasedEdit> {
  const run = await newestRun(runtime, hold.thread_id)
  const { profile } = run
  const { tools } = await loadAgent(runtime, profile, { needs: [hold.tool ?? ''] })
  const tool = tools.get(hold.tool ?? '')
  if (!tool) throw holdRefusals.unknownTool(hold.tool)
  const written = run.step?.calls.get(hold.call_id ?? '')?.arguments ?? null
  const fit = await fitOfEdit(tool, input.arguments ?? {}, { shown: hold.arguments, written })
  if (!fit.ok)
    throw holdRefusals.invalidEdit(hold.call_id, hold.tool, fit.issues, {
      details: { errors: issueList(fit.issues, 'arguments') },
    })
  const { value: args, asWritten = false } = fit
  const ruling = await rulingOn(profile, tool, args)
  if (ruling.verdict === 'never') throw holdRefusals.forbiddenEdit(hold.tool, hold.call_id, ruling.rule)
  const isReleased = mayEditSo(hold, input, { args, ruling })
  const digest = isReleased ? digestNow(runtime.ids, { arguments: args, tool }) : null
  return { digest, arguments: args, ...(!asWritten && { fitted: fittedBy(runtime.ids, tool) }) }
}

/** P1: false if the edit reaches further than its editor may, and others are asked. @throws RefusedError `not_an_editor` */
function mayEditSo(
  hold: Hold,
  { editor = true, decided_by, grant }: DecisionInput,
  { args, ruling }: { readonly args: JsonObject; readonly ruling: RulingNow },
): boolean {
  if (editor || hold.deciders?.may_edit === true || ruling.verdict === 'auto') return true
  if (!reachesFurther(hold.arguments, args)) return true
  if (grant || !canAskOthers(hold, decided_by)) throw holdRefusals.notAnEditor(decided_by, hold.id)
  return false
}
