/**
 * P9, before a deploy: would what waits go on as it was asked, under the definitions that are here now? Only looks. Runs
 * are looked at one after the other, so that ten thousand that wait need no more memory than one.
 */

import { CorruptJournalError, messageOf } from '../../core/errors.ts'
import type { Hold, HoldKind } from '../../core/hold/hold.ts'
import { releaseOf } from '../../core/hold/release.ts'
import { fold } from '../../core/journal/fold.ts'
import type { Run } from '../../core/journal/thread.ts'
import type { Pinned, Profile } from '../../core/run/profile.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Difference } from '../../core/text/differences.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { HoldStore } from '../../ports/store/holds.ts'
import { fittingDigests } from '../definitions/call-digest.ts'
import { pinDefinitions } from '../definitions/pin-definitions.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { fitCall } from '../gate/fit-arguments.ts'
import { changedPart, driftSince } from '../gate/hold-drifted.ts'

/**
 * `ok`: a decision does what it was asked for. `changed`: it opens a fresh hold that shows the differences. `broken`: the
 * call cannot run, or the run cannot be advanced at all.
 */
export type PendingStatus = 'ok' | 'changed' | 'broken'

/** One thing that a run waits for, or that waits with the rest of its batch. */
export interface PendingCheck {
  readonly status: PendingStatus
  readonly run_id: string
  readonly thread_id: string
  /** The name of the run's own agent. */
  readonly agent: string
  /** With `kind`, `null` for a call that waits for others of its batch. */
  readonly hold_id: string | null
  readonly kind: HoldKind | null
  /** `null`, with `tool`, if the agent waits for the next message. */
  readonly call_id: string | null
  readonly tool: string | null
  /** The problem, as a sentence; `null` if it is ok. */
  readonly problem: string | null
  /** Between what was asked or approved and what would run. */
  readonly differences: readonly Difference[]
  /**
   * The definitions that changed since the run was started: `agent` (its instructions, model or model settings),
   * `policy`, `tool` (the declaration of this call's tool). The run keeps its own instructions, model and policy.
   */
  readonly redefined: readonly ('agent' | 'policy' | 'tool')[]
}

/** The options of `checkPending`. */
export interface CheckOptions {
  /** Names the agent that a run is checked against, by `agent` and `agent_file`; `null` leaves the run out. Default: its own. */
  readonly profileFor?: (profile: Profile) => Profile | null
}

const PAGE = 100

/** Every open pause, oldest first. @throws the store's own error */
export async function* checkPending(
  runtime: Runtime,
  { profileFor = own => own }: CheckOptions,
): AsyncGenerator<PendingCheck, void, undefined> {
  for await (const { run_id, thread_id } of firstHolds(runtime.store)) {
    const holds = await runtime.store.holds({ run_id, status: 'open' })
    yield* await checkRun(runtime, { thread_id, holds, profileFor })
  }
}

/** Yields one open hold of each run that has any. */
async function* firstHolds(store: HoldStore): AsyncGenerator<Hold, void, undefined> {
  const seen = new Set<string>()
  let page: readonly Hold[] = []
  do {
    const last = page.at(-1)
    page = await store.holds({ status: 'open', limit: PAGE, ...(last && { after: last.id }) })
    for (const hold of page) {
      if (!seen.has(hold.run_id)) yield hold
      seen.add(hold.run_id)
    }
  } while (page.length === PAGE)
}

interface Waiting {
  readonly thread_id: string
  /** The open ones. */
  readonly holds: readonly Hold[]
  readonly profileFor: NonNullable<CheckOptions['profileFor']>
}

async function checkRun(runtime: Runtime, { thread_id, holds, profileFor }: Waiting): Promise<PendingCheck[]> {
  const run = await readRun(runtime, thread_id)
  if ('problem' in run) return holds.map(hold => brokenHold(hold, '', run.problem))
  const profile = profileFor(run.profile)
  if (profile === null) return []
  const defined = await loadDefinitions(runtime, profile)
  if ('problem' in defined) return holds.map(hold => brokenHold(hold, run.profile.agent, defined.problem))
  const inputs = holds.filter(({ call_id }) => call_id === null)
  const calls = [...(run.step?.calls.values() ?? [])].filter(isPending)
  return [
    ...inputs.map(hold => ({ ...aboutHold(hold, run.profile.agent), redefined: redefinitions(run, defined, null) })),
    ...(await Promise.all(calls.map(call => checkCall(runtime, { run, thread_id, defined }, call)))),
  ]
}

/** A call that runs now does not wait. */
function isPending({ status }: ToolCall): boolean {
  return status === 'suspended' || status === 'resuming' || status === 'new'
}

interface Problem {
  readonly problem: string
}

async function readRun({ store }: Runtime, threadId: string): Promise<Run | Problem> {
  try {
    const { run } = fold(threadId, await store.journal(threadId))
    return run ?? { problem: 'no run was ever started on its thread.' }
  } catch (thrown) {
    if (thrown instanceof CorruptJournalError) return { problem: thrown.message }
    throw thrown
  }
}

interface Definitions {
  readonly tools: ReadonlyMap<string, Tool>
  readonly pinned: Pinned
}

/** If an agent cannot be loaded, its runs cannot go on. */
async function loadDefinitions(runtime: Runtime, profile: Profile): Promise<Definitions | Problem> {
  try {
    const current = await runtime.agents.currentProfile(profile)
    const { tools } = await loadAgent(runtime, current)
    return { tools, pinned: pinDefinitions(runtime.ids, current, { tools }) }
  } catch (thrown) {
    return { problem: messageOf(thrown) }
  }
}

interface Scene {
  readonly run: Run
  readonly thread_id: string
  readonly defined: Definitions
}

async function checkCall(runtime: Runtime, scene: Scene, call: ToolCall): Promise<PendingCheck> {
  const { run, thread_id, defined } = scene
  const asked = call.hold_id === null ? null : await runtime.store.hold(call.hold_id)
  const verdict = await verdictOn(runtime, { call, asked, tool: defined.tools.get(call.name) ?? null })
  const open = asked?.status === 'open' ? asked : null
  return {
    run_id: run.id,
    thread_id,
    agent: run.profile.agent,
    hold_id: open?.id ?? null,
    kind: open?.kind ?? null,
    call_id: call.id,
    tool: call.name,
    differences: [],
    redefined: redefinitions(run, defined, call.name),
    ...verdict,
  }
}

type Verdict = Pick<PendingCheck, 'status' | 'problem'> & Partial<Pick<PendingCheck, 'differences'>>

const OK: Verdict = { status: 'ok', problem: null }

interface AskedCall {
  readonly call: ToolCall
  /** The newest hold, open or decided. */
  readonly asked: Hold | null
  readonly tool: Tool | null
}

async function verdictOn(runtime: Runtime, { call, asked, tool }: AskedCall): Promise<Verdict> {
  if (asked && !mayRun(asked)) return OK
  if (!tool) return { status: 'broken', problem: `the tool ${call.name} is gone.` }
  const { final_arguments: args } = call
  const fit = await fitCall(runtime.ids, tool, call)
  if (!fit.ok) return { status: 'broken', problem: `its arguments no longer fit ${call.name}: ${fit.issues}` }
  const released = asked?.decision ? asked.decision.digest : (asked?.digest ?? null)
  const now = fittingDigests(runtime.ids, { arguments: args, tool, preview: asked && shownPreview(asked) })
  if (!asked || released === null || now.includes(released)) return OK
  const differences = driftSince(asked, asked.decision, { arguments: args, tool })
  return {
    status: 'changed',
    problem: `${changedPart(call.name, differences) ?? call.name} is not what was asked about.`,
    differences,
  }
}

/** If a decision is itself the result, the tool is not needed any more. */
function mayRun({ kind, decision, resume_mode }: Hold): boolean {
  if (kind === 'input') return false
  return decision ? releaseOf(kind, decision, resume_mode).act === 'run' : resume_mode !== 'use_decision_as_tool_result'
}

/** Edited arguments had no preview. */
function shownPreview({ preview, decision }: Hold): string | null {
  return decision?.arguments ? null : (preview?.digest ?? null)
}

function redefinitions(
  { pinned: then }: Run,
  { pinned: now }: Definitions,
  tool: string | null,
): PendingCheck['redefined'] {
  if (then === null) return []
  const declared = tool === null ? undefined : then.tools[tool]
  return [
    ...(then.agent === now.agent ? [] : ['agent' as const]),
    ...(then.policy === now.policy ? [] : ['policy' as const]),
    ...(declared === undefined || declared === now.tools[tool ?? ''] ? [] : ['tool' as const]),
  ]
}

function brokenHold(hold: Hold, agent: string, problem: string): PendingCheck {
  return { ...aboutHold(hold, agent), status: 'broken', problem }
}

function aboutHold({ id: hold_id, run_id, thread_id, kind, call_id, tool }: Hold, agent: string): PendingCheck {
  const where = { run_id, thread_id, agent, hold_id, kind, call_id, tool }
  return { status: 'ok', ...where, problem: null, differences: [], redefined: [] }
}
