import { RefusedError } from '../errors.ts'
import { isAgentActor, isSignedBy, withoutRun } from '../people/agent-actor.ts'
import type { Membership } from '../people/membership.ts'
import { isSamePerson } from '../people/same-person.ts'
import { holdRefusals } from '../refusals/hold-refusals.ts'
import type { Decision, DecisionVerdict } from './decision.ts'
import type { Hold } from './hold.ts'

type DecidedHold = Pick<Hold, 'id' | 'kind' | 'agent' | 'run_id' | 'deciders' | 'requesters' | 'escalation' | 'level'>
type Decider = Pick<Decision, 'verdict' | 'decided_by'> & { readonly member_of?: Membership | undefined }

/** Why this person may not make this decision, or `null` (docs/design/holds.md#who-may-decide, P1). */
export function objectionToDecider(hold: DecidedHold, signer: Decider): RefusedError | null {
  if (saysMore(hold, signer)) return null
  // This covers every run of the agent.
  if (isSignedBy(signer.decided_by, hold)) return holdRefusals.ownHold(signer.decided_by, hold.id)
  // The starter of an agent can have it say anything, so an agent decides only if the deciders name it.
  if (isAgentActor(signer.decided_by) && !isAsked(hold, signer)) return notChosen(hold, signer)
  const { deciders } = hold
  if (deciders === null) return null
  if (deciders.people !== null && !isAsked(hold, signer))
    return holdRefusals.notADecider(signer.decided_by, hold.id, whoMay(hold), {
      details: { deciders: askedNames(hold) },
    })
  if (deciders.not_requester && RELEASES[signer.verdict](hold)) return objectionToRequester(hold, signer)
  return null
}

/** An agent that gave input to a run may give it more: a text pause holds nothing back. */
function saysMore({ kind, deciders, requesters, run_id }: DecidedHold, { decided_by }: Decider): boolean {
  const isFree = kind === 'input' && deciders === null
  return isFree && isAgentActor(decided_by) && requesters.includes(decided_by) && !decided_by.endsWith(`/${run_id}`)
}

/** The named deciders, and the people of the levels that were reached. */
export function askedPeople({
  deciders,
  escalation,
  level,
}: Pick<DecidedHold, 'deciders' | 'escalation' | 'level'>): string[] {
  return [...(deciders?.people ?? []), ...escalation.slice(0, level).flatMap(({ people }) => people)]
}

/** The named deciders, with groups as `@group` whose members a provider or proxy knows. */
export function askedNames(hold: Pick<DecidedHold, 'deciders' | 'escalation' | 'level'>): string[] {
  return [...askedPeople(hold), ...(hold.deciders?.groups ?? []).map(group => `@${group}`)]
}

/** An agent may be named as `agent:NAME`, for each run of it. */
function isAsked(hold: DecidedHold, signer: Decider): boolean {
  const people = askedPeople(hold)
  return (
    people.includes(signer.decided_by) || people.includes(withoutRun(signer.decided_by)) || isAskedMember(hold, signer)
  )
}

/** True for a member of a group that the deciders name, or that a reached level names. No agent is in one. */
function isAskedMember({ deciders, escalation, level }: DecidedHold, { decided_by, member_of }: Decider): boolean {
  if (member_of === undefined || isAgentActor(decided_by)) return false
  const levels = escalation.slice(0, level).map(({ assignee }) => assignee)
  return member_of.groups.some(group => deciders?.groups?.includes(group) || levels.includes(`@${group}`))
}

/** Whether a verdict lets the call pass. A refusal or an explanation needs no second person. */
const RELEASES: Record<DecisionVerdict, (hold: DecidedHold) => boolean> = {
  approve: () => true,
  edit: () => true,
  respond: ({ kind }) => kind === 'in_doubt',
  reject: () => false,
  cancel: () => false,
}

/** How many people must approve it. One answer decides a question, whatever the quorum. */
export function approvalsNeeded({ kind, deciders }: Pick<Hold, 'kind' | 'deciders'>): number {
  return kind === 'approval' || kind === 'in_doubt' ? (deciders?.quorum ?? 1) : 1
}

/**
 * The effect of one more approval: it decides, or it is one of several. @throws RefusedError `already_voted`,
 * `edit_needs_quorum`
 */
export function tally(
  hold: Pick<Hold, 'id' | 'deciders' | 'votes'>,
  decision: Decision,
): { decides: boolean; have: number; need: number } {
  const need = hold.deciders?.quorum ?? 1
  if (decision.verdict === 'edit' && need > 1) throw holdRefusals.oneForAll(hold.id, need)
  if (decision.verdict !== 'approve' || need <= 1) return { decides: true, have: 1, need: 1 }
  const earlier = hold.votes.find(vote => isSamePerson(vote.decided_by, decision.decided_by))
  if (earlier) throw alreadyVoted(hold, earlier, need)
  const have = hold.votes.length + 1
  return { decides: have >= need, have, need }
}

function objectionToRequester(hold: DecidedHold, { decided_by }: Decider): RefusedError | null {
  if (hold.requesters.length === 0) return holdRefusals.requesterUnknown(hold.id)
  if (!hold.requesters.some(name => isSamePerson(name, decided_by))) return null
  return holdRefusals.isRequester(decided_by, hold.id, whoMay(hold))
}

function notChosen(hold: DecidedHold, { decided_by }: Decider): RefusedError {
  const name = JSON.stringify(withoutRun(decided_by))
  return holdRefusals.agentNotNamed(decided_by, hold.id, name, { details: { deciders: askedPeople(hold) } })
}

function whoMay(hold: DecidedHold): string {
  const { deciders, requesters } = hold
  if (deciders?.people === null) return 'Anybody else may.'
  const people = askedNames(hold).filter(
    name => !(deciders?.not_requester && requesters.some(each => isSamePerson(each, name))),
  )
  return people.length > 0 ? `Who may: ${people.join(', ')}.` : 'Nobody who may is known; see its deciders.'
}

function alreadyVoted({ id, votes }: Pick<Hold, 'id' | 'votes'>, vote: Decision, need: number): RefusedError {
  return new RefusedError(
    'already_voted',
    `${vote.decided_by} approved ${id} at ${vote.at} already; it needs ${need} different people and has ${votes.length}.`,
    { hint: 'Somebody else must approve too. Nothing was recorded.' },
  )
}

/** True for the assignee, and for a person who may decide; a person who has voted is not asked again. */
export function isFor(hold: Hold, person: string, member_of?: Membership): boolean {
  if (hold.assignee === person) return true
  const verdict = hold.kind === 'approval' || hold.kind === 'in_doubt' ? 'approve' : 'respond'
  const hasVoted = hold.votes.some(({ decided_by }) => decided_by === person)
  return (
    !hasVoted && objectionToDecider(hold, { verdict, decided_by: person, ...(member_of && { member_of }) }) === null
  )
}
