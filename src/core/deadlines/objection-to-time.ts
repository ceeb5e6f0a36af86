import { isApprovalRequest } from '../hold/approval-request.ts'
import type { HoldKind } from '../hold/hold.ts'
import { type DecidersSettings, demandsPeople } from '../people/deciders.ts'

interface TimedTool {
  readonly name: string
  readonly destructive: boolean
  /** Set if its calls wait for an answer, and never run. */
  asks?: unknown
}

interface TimedHold {
  readonly kind: HoldKind
  /** `null` if it is gone, or if the hold is about no call. */
  readonly tool: TimedTool | null
  /** True if its policy wants a person to look at it. */
  readonly needsPerson: boolean
  readonly deciders: DecidersSettings | null
}

/**
 * Why time approves no call of such a tool (`auto_approve`), in words; `null` if it may (P1). Time may give an approval
 * in words, which lets no call pass by itself.
 */
export function objectionToTimeFor({ name, destructive, asks }: TimedTool): string | null {
  if (destructive) return `${name} is destructive`
  return asks && !isApprovalRequest(name) ? `${name} waits for an answer, and time has none` : null
}

const NO_ANSWER = 'it waits for an answer, and time has none'

const OF_KIND: Record<HoldKind, string | null> = {
  approval: null,
  input: null,
  question: NO_ANSWER,
  client_tool: NO_ANSWER,
  in_doubt: 'nobody knows whether it took effect',
}

/** Why time does not approve what is held (docs/design/holds.md#time), in words; `null` if it may (P1). */
export function objectionToTime({ kind, tool, needsPerson, deciders }: TimedHold): string | null {
  if (kind === 'input') return null
  if (OF_KIND[kind] !== null) return OF_KIND[kind]
  if (tool === null) return 'its tool is gone'
  if (demandsPeople(deciders)) return 'it is for its deciders to approve'
  return needsPerson ? 'a person must look at it' : objectionToTimeFor(tool)
}
