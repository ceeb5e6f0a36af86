import { RefusedError } from '../../../../core/errors.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import { calledAs } from '../agent-text.ts'

export function notInteractive(agent: AgentSummary): RefusedError {
  const called = calledAs(agent)
  return new RefusedError('not_interactive', `The process of ${called} does not stay, so nobody can attach to it.`, {
    hint: `Use \`holdpoint agents logs ${called} --follow\` and \`holdpoint agents send ${called} "…"\`, or spawn it with --interactive.`,
  })
}

export function noProcess(agent: AgentSummary): RefusedError {
  const { status, because } = agent
  const called = calledAs(agent)
  const how = WAYS_ON[status]?.(called) ?? `See \`holdpoint agents show ${called}\`.`
  return new RefusedError('not_attached', `${called} is ${status}, so it has no process: ${because}.`, { hint: how })
}

const WAYS_ON: { readonly [K in AgentSummary['status']]?: (called: string) => string } = {
  parked: called => `A message starts one: \`holdpoint agents send ${called} "…"\`.`,
  done: called => `A message goes on with it: \`holdpoint agents send ${called} "…"\`.`,
  crashed: called => `\`holdpoint agents resume ${called}\` goes on with its journal.`,
  killed: startAgain,
  failed: startAgain,
}

function startAgain(called: string): string {
  return `\`holdpoint agents respawn ${called}\` begins again, and \`holdpoint agents fork ${called}\` goes on from there.`
}
