import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Store } from '../../ports/store/store.ts'
import type { HookSession } from '../session/hook-view.ts'
import type { RunSession } from '../session/run-session.ts'
import type { UnderwayCalls } from '../session/underway-calls.ts'

/** The parts of a session that the gate uses: it reads rows, and all that it changes is staged. */
export interface GateSession extends HookSession, Pick<RunSession, 'pausesFor' | 'stageHold' | 'beginRest'> {
  readonly runtime: Pick<Runtime, 'where'> & {
    readonly ids: Ids
    readonly store: Pick<Store, 'hold' | 'grants' | 'grantFault' | 'now'>
  }
  readonly underway: Pick<UnderwayCalls, 'ids'>
}

/** A call at the gate. */
export interface Gated {
  readonly call: ToolCall
  readonly tool: Tool
}
