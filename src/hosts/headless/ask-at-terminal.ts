/** A pause in a terminal is asked about there. */
import { NEVER } from '../../async/on-abort.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import { agentMessage, pauseReason } from '../../runtime/views/pause-reason.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { askAboutHold } from '../asking/ask-about-hold.ts'
import { seenInFull } from '../asking/hold-question.ts'
import { canAsk } from '../display/ask-line.ts'
import type { OutputFormat } from '../outcome/outcome-document.ts'
import { pauseText } from '../outcome/pause-lines.ts'
import type { Reporter } from '../outcome/reporter.ts'
import { actor } from '../process/actor.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import { recordShown } from '../project/record-shown.ts'
import type { RunRequest } from './run-request.ts'

export interface Terminal {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Shows the run and its pauses. */
export type Shows = Pick<Reporter, 'during' | 'knows' | 'pause'>

/** A request, and whether a person at the terminal is asked. */
export type TerminalRequest = RunRequest & { readonly asks: boolean }

/**
 * A person is asked if one sits there, and no flag says that people decide elsewhere. A store that ends with the process
 * has no later. A new run without a flag for it pauses then.
 */
export function requestHere(
  { request, io, format }: Terminal & { readonly request: RunRequest; readonly format: OutputFormat },
  store: string,
): TerminalRequest {
  const isHere = canAsk(io) && format === 'text' && !request.async && new StoreLocation(store).scheme !== 'memory'
  const asks = isHere && !request.noAsk && request.choices === null && !request.finish && !request.attend
  const pauses = isHere && request.checkpoint === null && request.pauseOn === null
  return { ...request, asks, usualPauseOn: pauses ? ['approval', 'question'] : [] }
}

/** Advances the run, and asks at each pause until it is done or an answer is left for later. */
export async function advanceAsking(
  holdpoint: Holdpoint,
  {
    runId,
    options,
    terminal,
  }: {
    readonly runId: string
    readonly options: AdvanceOptions
    readonly terminal: Terminal & { readonly reporter: Shows }
  },
): Promise<AdvanceResult> {
  // The next decision is for the pause that was just decided.
  const { changes: _, decisions: __, lastRest: ___, ...again } = options
  const { reporter } = terminal
  let result = await reporter.during(() => holdpoint.advance(runId, options))
  const { signal = NEVER } = options
  const site = { ...terminal, signal }
  while (result.status === 'waiting' && !signal.aborted && (await decideHere(holdpoint, result, site)))
    result = await reporter.during(() => holdpoint.advance(runId, again))
  return result.status === 'waiting' ? holdpoint.run(runId) : result
}

/** False if an answer is left for later. */
async function decideHere(
  holdpoint: Holdpoint,
  view: RunView,
  terminal: Terminal & { readonly reporter: Shows; readonly signal: AbortSignal },
): Promise<boolean> {
  const isOneOfMany = view.holds.length > 1
  const asked = { io: terminal.io, person: actor(terminal.env), now: systemClock.now(), isOneOfMany }
  const seen = seenInFull(view.holds, pauseText(view), asked)
  const unseen = view.holds.filter(hold => !seen.includes(hold))
  await recordShown(holdpoint, seen, terminal)
  await recordShown(holdpoint, unseen, { ...terminal, inFull: false })
  terminal.reporter.pause({ ...view, pause_reason: pauseReason(view), agent_message: agentMessage(view) })
  const site = { ...terminal, holdpoint, isOneOfMany }
  for (const hold of view.holds) if (!(await askAboutHold(hold, { ...site, isSeen: seen.includes(hold) }))) return false
  // Arguments may have been changed.
  terminal.reporter.knows(await holdpoint.run(view.id))
  return true
}
