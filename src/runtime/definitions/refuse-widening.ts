import { shortText } from '../../core/audit/short-text.ts'
import { RefusedError } from '../../core/errors.ts'
import { type DecidersOfRun, notAsked, objectionToWidening } from '../../core/hold/may-widen.ts'
import type { ChangedBy } from '../../core/journal/event.ts'
import type { Run } from '../../core/journal/thread.ts'
import { decidersOf } from '../../core/people/deciders.ts'
import type { Profile, ProfileChanges } from '../../core/run/profile.ts'
import { widenedSettings } from '../../core/run/widening.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import type { RunView } from '../views/run-view.ts'

/** The author of a change, and the surface; without a name, settings may only narrow. */
export interface Changer {
  readonly by: string | null
  readonly surface: string
}

/** A run as its deciders left it, before the change. */
export type UnchangedRun = Pick<RunView, 'id' | 'profile' | 'requesters' | 'holds'>

/** A change of settings that is asked for. */
export interface ChangeWish extends Changer {
  readonly run: UnchangedRun
  readonly changes: ProfileChanges
}

export async function unchangedRun({ store }: Runtime, run: Run): Promise<UnchangedRun> {
  const holds = run.termination ? [] : await store.holds({ run_id: run.id, status: 'open' })
  return { ...unchanged(run), holds }
}

export function unchanged({ id, profile, unsigned, requesters }: Run): Omit<UnchangedRun, 'holds'> {
  return { id, profile, requesters: unsigned ? [] : [...requesters] }
}

/** P1, P10: to widen a run takes the right to decide in it; who tries without is recorded. @throws RefusedError `may_not_widen` */
export async function refuseWidening(
  runtime: Runtime,
  run: UnchangedRun,
  changes: ProfileChanges,
  changer: Changer,
): Promise<ChangedBy> {
  if (widenedSettings(run.profile, changes, null).length === 0) return { ...changer, widened: [] }
  const tools = await usableTools(runtime, run.profile)
  const widened = widenedSettings(run.profile, changes, tools && [...tools.keys()])
  const asked = { ...run, agent: run.profile.agent, deciders: decidersIn(run, [...(tools?.values() ?? [])]) }
  const objection = widened.length === 0 ? null : objectionToWidening(asked, changer.by, widened)
  if (!objection) return { ...changer, widened }
  const subject = { run_id: run.id, actor: shortText(changer.by ?? ''), surface: changer.surface }
  await runtime.store.record([{ kind: 'widening.refused', ...subject, data: { settings: widened } }])
  throw objection
}

/** Like `refuseWidening`, but returns the refusal. */
export async function objectionToChanges(
  runtime: Runtime,
  { run, changes, ...changer }: ChangeWish,
): Promise<RefusedError | null> {
  try {
    await refuseWidening(runtime, run, changes, changer)
    return null
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown
    throw thrown
  }
}

/** `null` if the agent cannot be loaded any more: then only its definition knew. */
async function usableTools(runtime: Runtime, profile: Profile): Promise<ReadonlyMap<string, Tool> | null> {
  try {
    return (await loadAgent(runtime, profile, { controls: runtime.controls })).tools
  } catch {
    return null
  }
}

function decidersIn({ profile, holds }: UnchangedRun, tools: readonly Tool[]): DecidersOfRun[] {
  const { deciders, groups } = profile
  const ofTools = tools.flatMap(tool => (tool.deciders ? [tool.deciders] : []))
  return [
    ...[deciders, ...ofTools].map(each => notAsked(decidersOf(each, groups))),
    ...holds.filter(({ kind }) => kind !== 'input'),
  ]
}
