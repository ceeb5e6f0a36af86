/**
 * Looks at the holds again whenever the store changed. Nothing is polled: between two changes it sleeps, in a terminal
 * for at most a minute, because the times on the screen are relative.
 */

import { eachChange } from '../../../async/each-change.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { type HoldIds, holdDocument } from '../../../core/hold-view/hold-document.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { CommandContext } from '../../command/command.ts'
import { listText } from '../../display/list.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { systemClock } from '../../process/system-clock.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { openToLook } from '../open-for-reading.ts'
import { changeLine, type HoldChange, holdChanges, type PlacedChange } from './hold-changes.ts'
import { type HoldFilter, listedHolds, type PlacedHold, pageOf, placedHolds, wantedHolds } from './hold-filter.ts'
import { HOLD_LIST } from './hold-list.ts'

/** Changes that come together are shown together. */
const TOGETHER_MS = 100
const MINUTE_MS = 60_000

type Look = (holdpoint: Holdpoint) => Promise<void>

/** Runs until a signal, or until the reader of stdout is gone. Returns the exit code. */
export async function watchHolds(context: CommandContext, filter: HoldFilter): Promise<number> {
  refuseWhatIsOver(context)
  const { io, json } = context
  const isScreen = io.isTerminal && !json
  const look: Look = isScreen ? screenLook(context, filter) : lineLook(context, filter)
  using stop = watchForStop()
  await using app = await openToLook(context)
  await lookAtChanges(app.holdpoint, look, {
    signal: AbortSignal.any([stop.signal, io.unread]),
    safetyMs: isScreen ? MINUTE_MS : Number.POSITIVE_INFINITY,
  })
  const signal = stop.stoppedBy()
  return signal ? exitCodeOf(signal) : 0
}

/** Closed holds do not change, and changes have no pages. */
function refuseWhatIsOver({ given }: CommandContext): void {
  const open = [null, 'open'].includes(given.value('status'))
  if (open && !given.has('after')) return
  throw decidingRefusals.watchesOpenOnes()
}

async function lookAtChanges(
  holdpoint: Holdpoint,
  look: Look,
  { signal, safetyMs }: { signal: AbortSignal; safetyMs: number },
): Promise<void> {
  const watches = [(onChange: () => void) => holdpoint.watch(onChange)]
  for await (const _ of eachChange({ clock: systemClock, watches, signal, restMs: TOGETHER_MS, safetyMs })) {
    if (signal.aborted) return
    await look(holdpoint)
  }
}

const CLEAR_SCREEN = '\u001b[2J\u001b[H'

/** In a terminal: the list as it is now, in place of the one before. */
function screenLook(context: CommandContext, filter: HoldFilter): Look {
  return async holdpoint => {
    const { holds, more } = await pageOf(holdpoint, filter)
    const rest = more === null ? '' : `\nThere are more: these are the first ${holds.length}; see --limit.\n`
    const list = listText(context, await listedHolds(holdpoint, holds), HOLD_LIST)
    context.io.out(`${CLEAR_SCREEN}${list}${rest}`)
  }
}

/** Elsewhere: a line for each hold that opened, changed or closed. Those that are open at first count as opened. */
function lineLook({ io, json }: CommandContext, filter: HoldFilter): Look {
  const told = json ? changeDocument : changeText
  let known: ReadonlyMap<string, Hold> = new Map()
  return async holdpoint => {
    const open = await Array.fromAsync(wantedHolds(holdpoint, filter))
    const changes = holdChanges(known, open, await goneHolds(holdpoint, known, open))
    known = new Map(open.map(hold => [hold.id, hold]))
    const placed = await placedHolds(
      holdpoint,
      changes.map(({ hold }) => hold),
    )
    io.out(placed.map((hold, n) => told({ ...(changes[n] as HoldChange), hold })).join(''))
  }
}

/** Holds that were open and no longer fit the filter, in their present state. */
async function goneHolds(
  holdpoint: Holdpoint,
  known: ReadonlyMap<string, Hold>,
  open: readonly Hold[],
): Promise<Hold[]> {
  const still = new Set(open.map(({ id }) => id))
  const gone = [...known.keys()].filter(id => !still.has(id))
  const holds = await Promise.all(gone.map(id => holdpoint.hold(id)))
  return holds.filter(hold => hold !== null)
}

/** A line of `holds --watch --json`. */
export interface HoldChangeDocument {
  readonly change: HoldChange['change']
  readonly hold: PlacedHold & HoldIds
}

function changeText(change: PlacedChange): string {
  return `${changeLine(change)}\n`
}

function changeDocument({ change, hold }: PlacedChange): string {
  return jsonLine({ change, hold: holdDocument(hold) } satisfies HoldChangeDocument)
}
