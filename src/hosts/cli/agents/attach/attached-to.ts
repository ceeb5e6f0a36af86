import { RefusedError } from '../../../../core/errors.ts'
import type { ClientFrame } from '../../../../core/fleet/frames.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { App } from '../../../compose/compose.ts'
import { inLocalTime } from '../../../display/ago.ts'
import { calledAs } from '../agent-text.ts'
import type { Holds } from './typed-line.ts'

export interface AttachedTo {
  readonly app: App
  readonly agent: AgentSummary
  /** The last `seq` that is not shown. */
  readonly since: number
  readonly signal: AbortSignal
}

/** An agent at the other end: its process, or a server. */
export interface AgentLine extends Disposable {
  /** All that is told, as a document and as whole lines, until the agent or its process is over. */
  news(signal: AbortSignal): AsyncIterable<{ readonly document: object; readonly text: string }>
  /** Those that are open, as they were told. */
  readonly holds: Holds
  /** Once what is open is known. */
  readonly isOpen: Promise<void>
  /** Resolves once it is recorded; false if it was refused, and that was told. */
  say(frame: ClientFrame): Promise<boolean>
}

export function noProcess(agent: AgentSummary): RefusedError {
  const { status, because } = agent
  const called = calledAs(agent)
  const how = WAYS_ON[status]?.(called) ?? `See \`holdpoint agents show ${called}\`.`
  return new RefusedError('not_attached', `${called} is ${status}, so it has no process: ${inLocalTime(because)}.`, {
    hint: how,
  })
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
