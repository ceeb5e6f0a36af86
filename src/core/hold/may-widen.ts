import { RefusedError } from '../errors.ts'
import type { Deciders } from '../people/deciders.ts'
import type { Hold } from './hold.ts'
import { askedPeople, objectionToDecider } from './may-decide.ts'

/** Deciders of the run, of one of its tools or of one of its open holds; `null` for everybody but agents. */
export type DecidersOfRun = Pick<Hold, 'deciders' | 'escalation' | 'level'>

export interface WidenedRun {
  readonly id: string
  readonly agent: string
  readonly requesters: readonly string[]
  readonly deciders: readonly DecidersOfRun[]
}

/** The deciders of a run or of a tool, before a hold is open. */
export function notAsked(deciders: Deciders | null): DecidersOfRun {
  return { deciders, escalation: [], level: 0 }
}

/**
 * Why this person may not widen the run, or `null`. The right to widen is the right to approve alone all that the run
 * could hold: otherwise a resume would be a way around the deciders (P1).
 */
export function objectionToWidening(
  run: WidenedRun,
  by: string | null,
  settings: readonly string[],
): RefusedError | null {
  const change = { run, by, settings }
  if (by === null) return refusal(change, 'No name was given.', 'Name who changes it.')
  for (const asked of run.deciders) {
    if (!mayApprove(run, asked, by)) return refusal(change, `${by} may not decide there.`, whoMay(asked))
    const quorum = asked.deciders?.quorum ?? 1
    if (quorum > 1) return refusal(change, `There ${quorum} people must approve, and ${by} is one.`, ANEW)
  }
  return null
}

function mayApprove({ id, agent, requesters }: WidenedRun, asked: DecidersOfRun, by: string): boolean {
  const hold = { ...asked, id, agent, requesters, kind: 'approval' as const, run_id: id }
  return objectionToDecider(hold, { verdict: 'approve', decided_by: by }) === null
}

const ANEW = 'Start a new run with these settings instead.'

interface Change {
  readonly run: Pick<WidenedRun, 'id'>
  readonly by: string | null
  readonly settings: readonly string[]
}

function refusal({ run, by, settings }: Change, why: string, advice: string): RefusedError {
  return new RefusedError(
    'may_not_widen',
    `${by ?? 'This resume'} may not change ${settings.join(', ')} of run ${run.id}, which could let it do more. ${why}`,
    { hint: `${advice} Or resume it as it is. Nothing was changed.`, details: { run_id: run.id, settings } },
  )
}

function whoMay(asked: DecidersOfRun): string {
  const people = asked.deciders?.people ? askedPeople(asked) : []
  return people.length > 0 ? `Ask one who may: ${people.join(', ')}.` : 'Ask a person who may decide in it.'
}
