import { RefusedError } from '../errors.ts'
import { isAgentActor, isSignedBy, withoutRun } from '../people/agent-actor.ts'
import type { Membership } from '../people/membership.ts'
import { isSamePerson } from '../people/same-person.ts'
import type { Decision, DecisionVerdict } from './decision.ts'
import type { Hold } from './hold.ts'

type DecidedHold = Pick<Hold, 'id' | 'kind' | 'agent' | 'run_id' | 'deciders' | 'requesters' | 'escalation' | 'level'>
type Decider = Pick<Decision, 'verdict' | 'decided_by'> & { readonly member_of?: Membership | undefined }

/** Why this person may not say this of this hold, or `null` (docs/design/holds.md#who-may-decide, P1). */
export function objectionToDecider(hold: DecidedHold, said: Decider): RefusedError | null {
  if (saysMore(hold, said)) return null
  // This covers every run of the agent.
  if (isSignedBy(said.decided_by, hold)) return ownHold(hold, said)
  // The starter of an agent can have it say anything, so an agent decides only if the deciders name it.
  if (isAgentActor(said.decided_by) && !isAsked(hold, said)) return notChosen(hold, said)
  const { deciders } = hold
  if (deciders === null) return null
  if (deciders.people !== null && !isAsked(hold, said)) return notADecider(hold, said)
  if (deciders.not_requester && RELEASES[said.verdict](hold)) return objectionToRequester(hold, said)
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

/** The same, with groups as `@group` of which a provider or proxy knows the members. */
export function askedNames(hold: Pick<DecidedHold, 'deciders' | 'escalation' | 'level'>): string[] {
  return [...askedPeople(hold), ...(hold.deciders?.groups ?? []).map(group => `@${group}`)]
}

/** An agent may be named as `agent:NAME`, for each run of it. */
function isAsked(hold: DecidedHold, said: Decider): boolean {
  const people = askedPeople(hold)
  return people.includes(said.decided_by) || people.includes(withoutRun(said.decided_by)) || isAskedMember(hold, said)
}

/** In a group that the deciders name, or that a level names that was reached. No agent is in one. */
function isAskedMember({ deciders, escalation, level }: DecidedHold, { decided_by, member_of }: Decider): boolean {
  if (member_of === undefined || isAgentActor(decided_by)) return false
  const levels = escalation.slice(0, level).map(({ assignee }) => assignee)
  return member_of.groups.some(group => deciders?.groups?.includes(group) || levels.includes(`@${group}`))
}

/** Whether it lets something happen that was held. To say no, or to explain what one meant, needs no second person. */
const RELEASES: Record<DecisionVerdict, (hold: DecidedHold) => boolean> = {
  approve: () => true,
  edit: () => true,
  respond: ({ kind }) => kind === 'in_doubt',
  reject: () => false,
  cancel: () => false,
}

/** How many people must approve it. One answer decides what asks for an answer, whatever the quorum. */
export function approvalsNeeded({ kind, deciders }: Pick<Hold, 'kind' | 'deciders'>): number {
  return kind === 'approval' || kind === 'in_doubt' ? (deciders?.quorum ?? 1) : 1
}

/**
 * The effect of one more approval: it decides, or it is one of several. @throws RefusedError `already_voted`,
 * `edit_needs_quorum`
 */
export function tally(
  hold: Pick<Hold, 'id' | 'deciders' | 'votes'>,
  said: Decision,
): { decides: boolean; have: number; need: number } {
  const need = hold.deciders?.quorum ?? 1
  if (said.verdict === 'edit' && need > 1) throw oneForAll(hold, need)
  if (said.verdict !== 'approve' || need <= 1) return { decides: true, have: 1, need: 1 }
  const earlier = hold.votes.find(vote => isSamePerson(vote.decided_by, said.decided_by))
  if (earlier) throw alreadyVoted(hold, earlier, need)
  const have = hold.votes.length + 1
  return { decides: have >= need, have, need }
}

function objectionToRequester(hold: DecidedHold, { decided_by }: Decider): RefusedError | null {
  if (hold.requesters.length === 0)
    return new RefusedError(
      'requester_unknown',
      `${hold.id} must be decided by somebody else than who asked for it, and nobody said who that was.`,
      { hint: 'Start the run with an author. Nothing was recorded.' },
    )
  if (!hold.requesters.some(name => isSamePerson(name, decided_by))) return null
  return new RefusedError(
    'is_requester',
    `${decided_by} asked for what ${hold.id} holds, so somebody else must decide.`,
    {
      hint: `${whoMay(hold)} Nothing was recorded; the hold stays open.`,
    },
  )
}

function ownHold(hold: DecidedHold, { decided_by }: Decider): RefusedError {
  return new RefusedError('own_hold', `${decided_by} may not decide ${hold.id}: no agent decides its own hold.`, {
    hint: 'A person must decide. Nothing was recorded; the hold stays open.',
  })
}

function notChosen(hold: DecidedHold, { decided_by }: Decider): RefusedError {
  const name = JSON.stringify(withoutRun(decided_by))
  return new RefusedError(
    'not_a_decider',
    `${decided_by} may not decide ${hold.id}: an agent decides only where the deciders name it.`,
    {
      hint: `A person must decide, or the deciders must name ${name}. Nothing was recorded; the hold stays open.`,
      details: { deciders: askedPeople(hold) },
    },
  )
}

function notADecider(hold: DecidedHold, { decided_by }: Decider): RefusedError {
  return new RefusedError('not_a_decider', `${decided_by} may not decide ${hold.id}.`, {
    hint: `${whoMay(hold)} Nothing was recorded; the hold stays open.`,
    details: { deciders: askedNames(hold) },
  })
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

function oneForAll({ id }: Pick<Hold, 'id'>, need: number): RefusedError {
  return new RefusedError(
    'edit_needs_quorum',
    `${id} needs ${need} people who approve the same, so nobody alone can change it.`,
    {
      hint: 'Approve it as it is, or reject it and say what should be different. Nothing was recorded.',
    },
  )
}

/** Assigned to this person, or theirs to decide; who has voted already is not asked again. */
export function isFor(hold: Hold, person: string, member_of?: Membership): boolean {
  if (hold.assignee === person) return true
  const verdict = hold.kind === 'approval' || hold.kind === 'in_doubt' ? 'approve' : 'respond'
  const hasVoted = hold.votes.some(({ decided_by }) => decided_by === person)
  return (
    !hasVoted && objectionToDecider(hold, { verdict, decided_by: person, ...(member_of && { member_of }) }) === null
  )
}
