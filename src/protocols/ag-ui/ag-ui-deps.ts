import type { Profile } from '../../core/run/profile.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'

/** The parts of the server that AG-UI answers from. */
export interface AgUiDeps {
  readonly holdpoint: Holdpoint
  /** The profile of a new run of this agent; `null` for the usual one. @throws RefusedError `unknown_agent` */
  readonly profileOf: (agent: string | null) => Promise<Profile>
  /** Names of the agents that clients may start in addition to the default one. */
  readonly agentNames: () => readonly string[]
}

/** The surface that decisions and messages are signed with. */
export const SURFACE = 'ag-ui'

/** The name by which clients ask for the usual agent. */
export const USUAL_AGENT = 'default'
