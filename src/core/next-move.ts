import type { Release } from './release.ts'
import { releaseOf } from './release.ts'
import { openHolds, type Run, runStatus } from './thread.ts'
import { isFinal, type ToolCall } from './tool-call.ts'

/** What a run needs next. Read off its state alone, so that living it and replaying it go the same way (P4, P8). */
export type Move =
  | { readonly type: 'done' }
  | { readonly type: 'wait' }
  | { readonly type: 'infer' }
  | { readonly type: 'gate'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'settle'; readonly call: ToolCall; readonly release: Extract<Release, { act: 'finish' }> }
  | { readonly type: 'execute'; readonly call: ToolCall }
  | { readonly type: 'end_step' }
  | { readonly type: 'conclude'; readonly accepted: boolean }

export function nextMove(run: Run): Move {
  if (run.termination) return { type: 'done' }
  if (run.step) return moveInStep(run, [...run.step.calls.values()])
  if (openHolds(run).length > 0) return { type: 'wait' }
  return run.concluding ? { type: 'conclude', accepted: isAccepted(run) } : { type: 'infer' }
}

function moveInStep(run: Run, calls: readonly ToolCall[]): Move {
  const ungated = calls.filter(call => call.status === 'new' && !call.allowed)
  if (ungated.length > 0) return { type: 'gate', calls: ungated }
  if (runStatus(run) === 'waiting') return { type: 'wait' }
  for (const call of calls) {
    const move = moveOf(run, call)
    if (move) return move
  }
  return calls.every(call => isFinal(call.status)) ? { type: 'end_step' } : { type: 'wait' }
}

/** A call that is `running` here was running when its owner died: recovery let only those through that may run again. */
function moveOf(run: Run, call: ToolCall): Move | null {
  if (call.status === 'new' || call.status === 'running') return { type: 'execute', call }
  if (call.status !== 'resuming') return null
  const hold = call.hold_id === null ? undefined : run.holds.get(call.hold_id)
  if (!hold?.decision || hold.kind === 'input') return null
  const release = releaseOf(hold.kind, hold.decision)
  return release.act === 'run' ? { type: 'execute', call } : { type: 'settle', call, release }
}

function isAccepted(run: Run): boolean {
  return [...run.holds.values()].some(hold => hold.kind === 'input' && hold.decision?.verdict === 'approve')
}
