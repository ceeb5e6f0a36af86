import type { JournalEvent } from '../../../core/journal/event.ts'
import type { AgentDoor } from '../../../ports/store/fleet/presences.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { CheckSite } from '../session/check-call.ts'

/** As it is on record for what attached clients are shown and say. */
export const SURFACE = 'attach'

/** A host, as an attached chat uses it. */
export interface AttachedSite {
  readonly holdpoint: Holdpoint
  /** The name that signs. */
  readonly person: string
  /** The events of a session behind `seq`. */
  journal(sessionId: string, seq: number, limit?: number): Promise<readonly JournalEvent[]>
  /** The checks of the newest run of a session. */
  readonly checks: (sessionId: string) => Promise<CheckSite | null>
  /** Of the process of an agent; `null` if none is there. */
  door(agentId: string): Promise<AgentDoor | null>
  /** Calls back when the process of an agent may have come or gone. */
  watch(onChange: () => void): Disposable
}

/** An agent that is attached to. */
export interface AttachedAgent {
  readonly summary: AgentSummary
  readonly sessionId: string
  /** Its name, or its id. */
  readonly called: string
  readonly model: string | null
}
