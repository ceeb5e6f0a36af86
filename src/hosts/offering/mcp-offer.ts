import { Underway } from '../../async/underway.ts'
import { messageOf } from '../../core/errors.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { visibleText } from '../../core/text/visible-text.ts'
import type { Control } from '../../ports/agent/control.ts'
import { instructions } from '../../protocols/mcp/instructions.ts'
import {
  ELICITATION_SURFACE,
  type Identify,
  type Offer,
  type Running,
  SURFACE,
} from '../../protocols/mcp/offer/offer.ts'
import { type App, checkSchema } from '../compose/compose.ts'
import { systemIds } from '../process/system-ids.ts'
import { version } from '../process/version.ts'
import { holdResources } from './hold-resources.ts'
import { taskResources } from './task-resources.ts'

export interface OfferDeps {
  readonly app: App
  readonly controls: readonly Control[]
  readonly identify: Identify
  readonly sealKey: Uint8Array
  /** The agents that clients may start; `null` if only tasks run agents here. */
  readonly starting: Pick<Running, 'profileOf' | 'agentNames'> | null
  readonly stopping: AbortSignal
  readonly onError: (error: Error) => void
}

/** The offer of this process to its clients. */
export function mcpOffer({ app, starting, ...given }: OfferDeps): Offer {
  const { holdpoint } = app
  const { controls, onError } = given
  const shown = async (holds: readonly Hold[], to: string, surface: string) => {
    const ids = holds.map(({ id }) => id)
    try {
      if (ids.length > 0) await holdpoint.audit.shown(ids, { to, surface, inFull: true })
    } catch (thrown) {
      onError(new TypeError(`it is not on record that ${ids} were shown: ${messageOf(thrown)}`, { cause: thrown }))
    }
  }
  return {
    ...given,
    version: version(),
    instructions: instructions({ runsAgents: starting !== null }),
    resources: [...taskResources(controls), holdResources(holdpoint, (holds, to) => shown(holds, to, SURFACE))],
    asking: {
      holdpoint,
      onShow: (hold, person) => shown([hold], person, ELICITATION_SURFACE),
      visibleText,
      newDecisionId: () => systemIds.next('decision'),
    },
    running: starting && { holdpoint, ...starting, ids: systemIds },
    checkSchema,
    underway: new Underway(),
  }
}
