import type { Amount } from '../count.ts'
import type { DecidersSettings } from '../people/deciders.ts'
import type { DueSettings } from '../people/due.ts'
import type { Groups } from '../people/groups.ts'
import type { Policy } from '../policy/policy.ts'
import type { ContextSettings } from '../settings/context-settings.ts'
import type { ModelSettings } from '../settings/model-settings.ts'
import type { Prices } from '../settings/prices.ts'
import type { ProjectInstructions } from '../settings/project-instructions.ts'
import type { ClientTool } from './client-tool.ts'
import type { StopCondition } from './stop-condition.ts'

/** The reasons for a run to pause: calls that need approval, a text-only answer, a question of the agent. */
export type PauseKind = (typeof PAUSE_KINDS)[number]

export const PAUSE_KINDS = ['approval', 'input', 'question'] as const

/**
 * `batch`: nothing of a batch runs until each of its holds is decided. `call`: allowed calls run while held ones wait.
 */
export type HoldScope = 'batch' | 'call'

/** The default number of calls that may run at once: a batch in listed order, otherwise side by side. */
export const USUAL_CONCURRENCY: Record<HoldScope, number> = { batch: 1, call: 8 }

/** How a text that answers an approval is read: anything that is no clear yes or no is asked about again, or denies. */
export type ApprovalAnswers = (typeof APPROVAL_ANSWERS)[number]

export const APPROVAL_ANSWERS = ['tolerant', 'strict'] as const

/** The settings that a run keeps over every resume, on every host. Pinned in the journal when the run starts. */
export interface Profile {
  /** The agent's name. */
  readonly agent: string
  /** Absolute path of the file that defines the agent; `null` for one that the host knows by name. */
  readonly agent_file: string | null
  /** `provider/model` or `script:FILE`; `null` if the agent's definition brings a model object, which a resume then needs. */
  readonly model: string | null
  /** The name of the model object that the agent's definition brings, for people to read; used only if `model` is `null`. */
  readonly agent_model?: string
  /** How the model is asked; absent if the provider decides all of it. */
  readonly model_settings?: ModelSettings
  /** How its context is managed; absent if all of it has its default. */
  readonly context?: ContextSettings
  readonly instructions: string | null
  /** Files of the project that are instructions, too; absent if no run looks for any. */
  readonly project_instructions?: ProjectInstructions
  /** Names of the tools that may run; `null` for all that the agent has. */
  readonly tools: readonly string[] | null
  /** Tools that the client of the run runs itself; absent if there are none. */
  readonly client_tools?: readonly ClientTool[]
  readonly policy: Policy
  readonly pause_on: readonly PauseKind[]
  /** `refuse`: a call that policy asks about does not run while approvals do not pause the run. Left out if it runs. */
  readonly unasked?: 'refuse'
  readonly hold_scope: HoldScope
  /** How many calls of a batch may run at the same time, from 1. */
  readonly max_concurrent_calls: Amount
  readonly stop: readonly StopCondition[]
  /** What its models cost; absent if nothing is known of it. */
  readonly prices?: Prices
  /** Absolute path of the directory whose `.holdpoint/` gets the manifests of its pauses; `null` for none. */
  readonly project: string | null
  /**
   * Absolute path of the directory whose configuration names the MCP servers of the run, on every resume. Absent if the
   * host names them, and in older journals, in which `project` counts.
   */
  readonly configured_in?: string
  /** Absolute path in which tools work. */
  readonly workdir: string
  /**
   * Absolute path, links resolved, to which relative paths in the rules of `policy` refer. For a sub-agent it is the
   * directory of the run at the root; absent if it is `workdir`.
   */
  readonly rules_from?: string
  /** The time that people have, unless the tool or the hold sets it. The agent's setting outranks the project's. */
  readonly due: DueSettings
  /** The deciders, if the tool does not name any; `null` for everybody. */
  readonly deciders: DecidersSettings | null
  readonly groups: Groups
  /**
   * Groups without `@` whose members a provider or proxy knows when people sign in there. Left out if there are none.
   */
  readonly proven_groups?: readonly string[]
  readonly approval_answers: ApprovalAnswers
}

/** The model of a run, for people to read. */
export function modelName({ model, agent_model }: Profile): string | null {
  return model ?? agent_model ?? null
}

/**
 * The settings that may change during a run. Its holds were opened for their scope, so that one may not; and files of the
 * project are read when a run starts.
 */
export type ProfileChanges = Partial<Omit<Profile, 'hold_scope' | 'project_instructions'>>

/** Settings that decide which calls may run. */
export const GATING: readonly (keyof Profile)[] = ['agent_file', 'tools', 'policy', 'pause_on', 'workdir']

/** Fingerprints of what the run was started with (P9): `sha256:` over canonical JSON. */
export interface Pinned {
  /** The fingerprint of instructions, model and model settings. */
  readonly agent: string
  readonly policy: string
  /** Fingerprints by tool: of its name, schema and declarations. */
  readonly tools: Readonly<Record<string, string>>
}
