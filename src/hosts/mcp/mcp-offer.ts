import { Underway } from '../../async/underway.ts'
import { messageOf } from '../../core/errors.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { mcpActor, runOf } from '../../core/people/agent-actor.ts'
import { visibleText } from '../../core/text/visible-text.ts'
import { INSTRUCTIONS } from '../../protocols/mcp/instructions.ts'
import { ELICITATION_SURFACE, type Identify, type Offer, SURFACE } from '../../protocols/mcp/offer/offer.ts'
import type { CommandContext } from '../command/command.ts'
import { type App, checkSchema } from '../compose/compose.ts'
import { actor } from '../process/actor.ts'
import { agentAround } from '../process/agent-around.ts'
import { systemIds } from '../process/system-ids.ts'
import { version } from '../process/version.ts'
import { holdResources } from './hold-resources.ts'
import type { Bounds } from './mcp-settings.ts'
import { offeredControls } from './offered-controls.ts'
import { taskResources } from './task-resources.ts'

interface OfferDeps extends Pick<CommandContext, 'env' | 'io'> {
  readonly app: App
  readonly bounds: Bounds
  readonly stopping: AbortSignal
}

/** The offer of this process to its clients. */
export async function mcpOffer({ app, bounds, env, io, stopping }: OfferDeps): Promise<Offer> {
  const { holdpoint } = app
  const controls = await offeredControls(app, bounds)
  const person = actor(env)
  const onError = (error: Error) => io.err(`holdpoint mcp: ${messageOf(error)}\n`)
  const shown = async (holds: readonly Hold[], to: string, surface: string) => {
    const ids = holds.map(({ id }) => id)
    try {
      if (ids.length > 0) await holdpoint.audit.shown(ids, { to, surface, inFull: true })
    } catch (thrown) {
      onError(new TypeError(`it is not on record that ${ids} were shown: ${messageOf(thrown)}`, { cause: thrown }))
    }
  }
  return {
    version: version(),
    instructions: INSTRUCTIONS,
    controls,
    resources: [...taskResources(controls), holdResources(holdpoint, (holds, to) => shown(holds, to, SURFACE))],
    asking: {
      holdpoint,
      person,
      onShow: hold => shown([hold], person, ELICITATION_SURFACE),
      visibleText,
      newDecisionId: () => systemIds.next('decision'),
    },
    checkSchema,
    identify: identityOf(env),
    underway: new Underway(),
    stopping,
    onError,
  }
}

/**
 * The identity of a client. Inside a command that an agent runs, it is that agent. If the server was given a name, it
 * is that name. Otherwise it is the client's own name, which proves nothing: `mcp:NAME`.
 */
export function identityOf(env: CommandContext['env']): Identify {
  const agent = agentAround(env)
  if (agent !== null) return () => ({ actor: agent, runId: runOf(agent) })
  const named = env['HOLDPOINT_ACTOR']
  return clientName => ({ actor: named || mcpActor(clientName ?? 'unknown'), runId: null })
}
