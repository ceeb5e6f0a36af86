import { decide } from '../api/decisions.ts'
import type { Command } from './command.ts'
import { shownHolds } from './shown-holds.ts'

type Deciding = Exclude<Command, { verb: 'unknown' }>

/** Why a command was refused; `null` if it was recorded. */
export type Refusal = string | null

/** Asks once more. Resolves to whether the person means it. */
export type Confirm = (question: string) => Promise<boolean>

/** Decides what this page shows in full, and nothing else. */
export async function decideByCommand(command: Deciding, confirm: Confirm): Promise<Refusal> {
  const found = target(command.holdId)
  if (typeof found === 'string') return found
  const { hold, seen } = found
  if (command.verb === 'deny')
    return told(await decide(hold, { verdict: 'reject', ...(command.reason && { reason: command.reason }) }))
  if (!seen().endWasSeen) return 'Its end has not been in view yet. Scroll to it, and approve it then.'
  const { title, risk, reaches } = hold
  if (risk === 'override') return 'This wants more than a command: approve it with the button on its card.'
  if (seen().hasChanged && !(await confirm(`${title}? It changed while you had it open.`))) return NOTHING
  const reached = reaches.map(reach => ` It ${reach}.`).join('')
  if (risk === 'high' && !(await confirm(`${title}?${reached}`))) return NOTHING
  return told(await decide(hold, { verdict: 'approve' }))
}

const NOTHING = 'Nothing was decided.'

type Shown = typeof shownHolds extends Map<string, infer S> ? S : never

function target(holdId: string | null): Shown | string {
  if (holdId !== null) return shownHolds.get(holdId) ?? `${holdId} does not wait in this conversation.`
  const [only, ...others] = shownHolds.values()
  if (!only) return 'Nothing waits in this conversation.'
  if (others.length > 0) return `Several things wait. Name the one that you mean, as in: /approve ${only.hold.id}`
  return only
}

function told(outcome: Awaited<ReturnType<typeof decide>>): Refusal {
  if (outcome.outcome === 'recorded') return null
  if (outcome.outcome === 'unanswered') return 'No answer came. Send it again: it counts once.'
  const { detail, hint } = outcome.problem
  return hint ? `${detail} ${hint}` : detail
}
