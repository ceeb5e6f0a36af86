import type { JournalEvent } from '../../../core/journal/event.ts'
import type { AgentDoor } from '../../../ports/store/fleet/presences.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { MessageMode } from '../conversation/conversation.ts'
import type { CheckSite } from '../session/check-call.ts'

/** The modes of a message, as the face names them. */
export const WHILE_WAITING: Readonly<Record<MessageMode, 'queue' | 'supersede' | 'interrupt'>> = {
  ...{ queue: 'queue', steer: 'supersede', interrupt: 'interrupt' },
}

/** A host, or a server, as an attached chat uses it. */
export interface AttachedSite {
  readonly holdpoint: Holdpoint
  /** The name that signs. */
  readonly person: string
  /** As it is on record for what attached clients are shown and say. */
  readonly surface: string
  /** The events of a session behind `seq`. */
  journal(sessionId: string, seq: number, limit?: number): Promise<readonly JournalEvent[]>
  /** The checks of the newest run of a session. */
  readonly checks: (sessionId: string) => Promise<CheckSite | null>
  /** Of the process of an agent; `null` if none is there. A server has none: it is told all, and told of all. */
  readonly door: ((agentId: string) => Promise<AgentDoor | null>) | null
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
