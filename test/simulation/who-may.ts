/** P1: who may decide, told from the plot alone. */

import type { Decision } from '../../src/core/hold/decision.ts'
import type { HoldKind } from '../../src/core/hold/hold.ts'
import { type DecidersSettings, readDeciders } from '../../src/core/people/deciders.ts'
import type { Json } from '../../src/core/text/json.ts'
import type { Plot } from './plot.ts'
import { GROUPS } from './plot-people.ts'
import type { ToolName } from './tool-names.ts'

export interface Question {
  readonly kind: HoldKind
  readonly tool: string | null
  readonly requesters: readonly string[]
  /** To whom it was escalated by then. */
  readonly escalatedTo: readonly string[]
}

/** Whom a call of this tool asks; `null` for everybody. */
export function decidersOf({ people }: Plot, tool: string | null): DecidersSettings | null {
  const written = people.toolDeciders[tool as ToolName] ?? people.deciders
  return written && readDeciders(written as Json)
}

export function quorumOf(plot: Plot, { kind, tool }: Pick<Question, 'kind' | 'tool'>): number {
  return kind === 'input' ? 1 : (decidersOf(plot, tool)?.quorum ?? 1)
}

/** Whether they may say it, as far as it depends on who they are. */
export function mayDecide(
  deciders: DecidersSettings | null,
  question: Question,
  { decided_by, verdict }: Pick<Decision, 'decided_by' | 'verdict'>,
): boolean {
  const name = decided_by.replace(/\/.*/, '')
  const said = question.kind === 'input' ? null : deciders
  return isAsked(said, question, name) && (!said?.not_requester || isSecond(question, verdict, name))
}

function isAsked(said: DecidersSettings | null, { escalatedTo }: Question, name: string): boolean {
  if (name === 'agent:tester') return false
  const isNamed = everybodyIn([...(said?.people ?? []), ...escalatedTo]).includes(name)
  return isNamed || (!name.startsWith('agent:') && !said?.people)
}

/** Somebody else than who asked, where it lets something happen. */
function isSecond({ kind, requesters }: Question, verdict: Decision['verdict'], name: string): boolean {
  const releases = verdict === 'approve' || verdict === 'edit' || (verdict === 'respond' && kind === 'in_doubt')
  return !releases || (requesters.length > 0 && !requesters.includes(name))
}

function everybodyIn(names: readonly string[]): string[] {
  return names.flatMap(name => (name.startsWith('@') ? (GROUPS[name.slice(1)] ?? []) : [name]))
}
