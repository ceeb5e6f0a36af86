/** Keeps P9 for what a call would change: people see it before they decide, and it is looked at again before it runs. */

import { messageOf } from '../../core/errors.ts'
import type { NewHold } from '../../core/hold/hold.ts'
import type { HoldState } from '../../core/journal/thread.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import { type Preview, type PreviewPart, previewText } from '../../core/preview/preview.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Difference } from '../../core/text/differences.ts'
import { isSameJson, type Json, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import { usableBasis, usablePreview } from '../definitions/usable-preview.ts'
import { isStop } from '../foreign/reach-foreign.ts'
import type { Gated, GateSession } from './gate-session.ts'

/** `null` if nothing is shown of such a hold: an approval of it runs no tool, or the tool has no preview. */
export async function previewFor(
  session: GateSession,
  { call, tool }: { readonly call: ToolCall; readonly tool: Tool | null },
  { kind, resume_mode }: Pick<NewHold, 'kind' | 'resume_mode'>,
): Promise<Preview | null> {
  const args = call.final_arguments
  const runs = (kind === 'approval' || kind === 'in_doubt') && resume_mode !== 'use_decision_as_tool_result'
  if (!runs || !tool?.preview || typeof args === 'string') return null
  // A call that suspended itself must be held, even while its run is being stopped.
  return previewOf(session, tool, args).catch(thrown => fingerprinted(session.runtime.ids, failed(thrown)))
}

/** What a call shows of itself, while it runs. The call compares with it when it goes on. */
export async function ownPreview(
  { runtime }: GateSession,
  parts: readonly PreviewPart[],
  basis: Json,
): Promise<Preview> {
  const made = await usablePreview({ parts, basis }).catch(failed)
  return fingerprinted(runtime.ids, {
    parts: made?.parts ?? [],
    basis,
    problem: null,
    ...(made as Failed | null),
    own: true,
  })
}

/** The difference from the preview that was approved; `null` if all is as it was shown. */
export async function otherThanShown(session: GateSession, { call, tool }: Gated): Promise<Difference | null> {
  const hold = call.hold_id === null ? undefined : session.run.holds.get(call.hold_id)
  const args = call.final_arguments
  // A call that runs again after a crash may have changed it itself.
  if (call.status !== 'resuming' || !hold || shownDigestOf(hold) === null || typeof args === 'string') return null
  const shown = (await session.runtime.store.hold(hold.id))?.preview
  if (!shown || shown.problem !== null || shown.own) return null
  const now = await asked(session, { tool, args }, usableBasis)
  session.signals.throwIfStopped()
  if (now !== null && now.problem === null && isSameJson(now.basis, shown.basis)) return null
  return { path: PREVIEW, was: shown.basis, is: now && (now.problem ?? now.basis) }
}

/** The path of such a difference. */
export const PREVIEW = 'preview'

/** P9: the digest of the preview that the decision was about; `null` if there was none. Edited arguments had none. */
export function shownDigestOf({ preview, decision }: Pick<HoldState, 'preview' | 'decision'>): string | null {
  return decision?.arguments ? null : (preview ?? null)
}

/** @throws if the run is to stop */
async function previewOf(session: GateSession, tool: Tool, args: JsonObject): Promise<Preview | null> {
  const made = await asked(session, { tool, args }, usablePreview)
  return made && fingerprinted(session.runtime.ids, made)
}

function fingerprinted(ids: Ids, preview: Omit<Preview, 'digest'>): Preview {
  return { ...preview, digest: ids.digest(previewText(preview)) }
}

type Failed = Omit<Preview, 'digest'>

function failed(thrown: unknown): Failed {
  return { parts: [], basis: null, problem: messageOf(thrown) }
}

interface Shown {
  readonly tool: Tool
  readonly args: JsonObject
}

type Read<T> = (given: unknown) => Promise<T | null>

/** A failing preview shows its error. @throws if the run is to stop */
async function asked<T>(
  { run, signals }: GateSession,
  { tool, args }: Shown,
  read: Read<T>,
): Promise<(T & { problem: null }) | Failed | null> {
  const { workdir, rules_from, policy } = run.profile
  const context = { workdir, rulesFrom: rules_from ?? workdir, policy, abortSignal: signals.signal }
  try {
    const usable = await read((await tool.preview?.(copyArguments(args), context)) ?? null)
    return usable && { ...usable, problem: null }
  } catch (thrown) {
    if (isStop(thrown)) throw thrown
    return failed(thrown)
  }
}
