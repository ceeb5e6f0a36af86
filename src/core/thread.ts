import type { Decision } from './decision.ts'
import type { CheckpointReason } from './event.ts'
import type { HoldKind } from './hold.ts'
import type { Message } from './message.ts'
import type { Profile } from './profile.ts'
import type { Termination } from './termination.ts'
import { isFinal, type ToolCall } from './tool-call.ts'
import type { Usage } from './usage.ts'

/** One hold as the journal tells it: what was asked is on the hold's own row, the call has the arguments. */
export interface HoldState {
  readonly id: string
  readonly kind: HoldKind
  readonly call_id: string | null
  readonly digest: string | null
  readonly because: string
  readonly decision: Decision | null
}

export interface Checkpoint {
  readonly id: string
  readonly seq: number
  readonly reason: CheckpointReason
}

/** The inference round under way: from the model's answer to the end of its calls. */
export interface Step {
  readonly number: number
  readonly text: string
  readonly calls: Map<string, ToolCall>
}

export interface Run {
  readonly id: string
  profile: Profile
  /** Inference rounds and tokens, those of the runs that this one continues included. */
  steps: number
  usage: Usage
  step: Step | null
  /** Holds of the step under way, newest last, and the pending input hold. */
  holds: Map<string, HoldState>
  /** Digests that somebody rejected in this run, with the reason. */
  rejected: Map<string, string | null>
  checkpoint: Checkpoint | null
  /** The newest checkpoint that people were told of. */
  announced: Checkpoint | null
  termination: Termination | null
  /** What the model said last; empty where it said nothing. */
  answer: string
  /** True once the model answered with text alone: the run ends, or somebody says how it goes on. */
  concluding: boolean
}

/**
 * What a journal says, folded. One process owns it while it advances the run, so it is built in place; the values in
 * it are never changed, only replaced.
 */
export interface Thread {
  readonly id: string
  seq: number
  /** The model's view, up to the last finished step and the answer under way. */
  messages: Message[]
  call_ids: Set<string>
  run: Run | null
  /** Which run a thread's earlier runs had, and their end. */
  finished: Map<string, Termination>
}

/** DESIGN §4.3. */
export type RunStatus = 'running' | 'waiting' | 'done'

export function openHolds(run: Run): HoldState[] {
  return [...run.holds.values()].filter(hold => hold.decision === null)
}

export function runStatus(run: Run): RunStatus {
  if (run.termination) return 'done'
  if (openHolds(run).length === 0) return 'running'
  if (run.profile.hold_scope === 'batch') return 'waiting'
  return stepStatus([...(run.step?.calls.values() ?? [])]) === 'running' ? 'running' : 'waiting'
}

/** DESIGN §4.3: the status of a step is that of its calls. */
export type StepStatus = 'running' | 'waiting' | 'complete'

export function stepStatus(calls: readonly Pick<ToolCall, 'status'>[]): StepStatus {
  if (calls.some(mayMove)) return 'running'
  return calls.some(call => call.status === 'suspended') ? 'waiting' : 'complete'
}

function mayMove(call: Pick<ToolCall, 'status'>): boolean {
  return call.status !== 'suspended' && !isFinal(call.status)
}
