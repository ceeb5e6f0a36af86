import type { Hold } from '../../core/hold/hold.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { isInterrupt } from './interrupt.ts'
import type { RunInput } from './run-input.ts'

/** The holds that a thread waits for, as one client sees them. */
export interface Waiting {
  /** To be answered by `resume`. */
  readonly interrupts: readonly Hold[]
  /** Calls of tools that the client runs itself: it gives their results as messages. */
  readonly calls: readonly Hold[]
}

export async function waitingIn(
  { holdpoint }: { readonly holdpoint: Pick<Holdpoint, 'holds'> },
  threadId: string,
  { tools }: Pick<RunInput, 'tools'>,
): Promise<Waiting> {
  const open = (await holdpoint.holds({ thread_id: threadId, status: 'open' })).filter(isInterrupt)
  const names = new Set(tools.map(({ name }) => name))
  const runsThere = ({ kind, tool }: Hold) => kind === 'client_tool' && tool !== null && names.has(tool)
  return { interrupts: open.filter(hold => !runsThere(hold)), calls: open.filter(runsThere) }
}
