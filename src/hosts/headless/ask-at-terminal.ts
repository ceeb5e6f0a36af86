/** A run that was started in a terminal asks there. Nothing is preselected, and keys from before the question never count. */
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Receipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { Hold, HoldKind } from '../../core/hold/hold.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import { agentMessage, pauseReason } from '../../runtime/views/pause-reason.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { errorDocument } from '../outcome/outcome-document.ts'
import type { OutputFormat } from '../outcome/output-format.ts'
import type { Reporter } from '../outcome/reporter.ts'
import { textError } from '../outcome/text-report.ts'
import { actor } from '../process/actor.ts'
import type { Io } from '../process/io.ts'
import { recordShown } from '../project/record-shown.ts'
import type { RunRequest } from './run-request.ts'

export interface Terminal {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Shows the run and its pauses. */
export type Shows = Pick<Reporter, 'during' | 'pause'>

/** A request, and whether a person at the terminal is asked. */
export type TerminalRequest = RunRequest & { readonly asks: boolean }

/** No flag says that people decide elsewhere, and a person sits there. A store that ends with the process has no later. */
export function requestHere(
  { request, io, format }: Terminal & { readonly request: RunRequest; readonly format: OutputFormat },
  store: string,
): TerminalRequest {
  const isHeadless = request.async || request.checkpoint !== null || request.pauseOn !== null || format !== 'text'
  const isTerminal = io.isTerminal && process.stdin.isTTY === true
  const asks = !isHeadless && isTerminal && new StoreLocation(store).scheme !== 'memory'
  return { ...request, asks, usualPauseOn: asks ? ['approval', 'question'] : [] }
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
  const { changes: _, decisions: __, ...again } = options
  const { reporter } = terminal
  let result = await reporter.during(() => holdpoint.advance(runId, options))
  while (result.status === 'waiting' && !options.signal?.aborted && (await decideHere(holdpoint, result, terminal)))
    result = await reporter.during(() => holdpoint.advance(runId, again))
  return result.status === 'waiting' ? holdpoint.run(runId) : result
}

/** False if an answer is left for later. */
async function decideHere(
  holdpoint: Holdpoint,
  view: RunView,
  terminal: Terminal & { readonly reporter: Shows },
): Promise<boolean> {
  await recordShown(holdpoint, view.holds, terminal)
  terminal.reporter.pause({ ...view, pause_reason: pauseReason(view), agent_message: agentMessage(view) })
  for (const hold of view.holds) if (!(await decideOne(holdpoint, hold, terminal))) return false
  return true
}

const QUESTIONS: Record<HoldKind, string | null> = {
  approval: 'yes, no, or /deny and why',
  question: 'your answer',
  input: 'your answer',
  // Their results are JSON, and a call in doubt has to be looked into first.
  client_tool: null,
  in_doubt: null,
}

async function decideOne(holdpoint: Holdpoint, hold: Hold, { io, env }: Terminal): Promise<boolean> {
  const asked = QUESTIONS[hold.kind]
  const name = visibleLine(hold.call_id ?? hold.id)
  while (asked !== null) {
    const text = await lineOf(`${name}: ${asked} (Enter leaves it for later): `)
    if (text.trim() === '') return false
    const receipt = await holdpoint.answer(hold.id, { text, decided_by: actor(env), surface: 'cli' })
    const refusal = refusalIn(receipt)
    if (refusal === null) return true
    io.err(textError(errorDocument(refusal, { outcome: 'refused' })))
    if ((await holdpoint.hold(hold.id))?.status !== 'open') return true
  }
  return false
}

function refusalIn(receipt: Receipt): RefusedError | null {
  return receipt.outcome === 'refused' ? receipt.error : null
}

/** Long enough for the terminal to hand over what was typed before. */
const TYPED_AHEAD_MS = 200

/** A line from the terminal; empty if it ends, or at Ctrl-C. */
async function lineOf(question: string): Promise<string> {
  await dropTypedAhead()
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } catch {
    return ''
  } finally {
    terminal.close()
  }
}

async function dropTypedAhead(): Promise<void> {
  const { stdin } = process
  stdin.setRawMode(true).resume()
  await sleep(TYPED_AHEAD_MS)
  stdin.pause().setRawMode(false)
}
