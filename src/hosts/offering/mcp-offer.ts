import { Underway } from '../../async/underway.ts'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { type Hold, usualMessage } from '../../core/hold/hold.ts'
import { holdDocument } from '../../core/hold-view/hold-document.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import { visibleLine, visibleText } from '../../core/text/visible-text.ts'
import type { Control, ControlContext } from '../../ports/agent/control.ts'
import { instructions } from '../../protocols/mcp/instructions.ts'
import {
  ELICITATION_SURFACE,
  type Identify,
  type Offer,
  type Reader,
  type ResourceSource,
  type Running,
  SURFACE,
} from '../../protocols/mcp/offer/offer.ts'
import type { Holds } from '../../runtime/face/holds.ts'
import { type App, checkSchema } from '../compose/compose.ts'
import { systemIds } from '../process/system-ids.ts'
import { version } from '../process/version.ts'

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

/** The most that one page shows. */
const MOST = 200

/** All open holds; any hold by its id. */
function holdResources(
  holdpoint: Pick<Holds, 'hold' | 'holds'>,
  onShow: (holds: readonly Hold[], to: string) => Promise<void>,
): ResourceSource {
  const open = () => holdpoint.holds({ status: 'open', limit: MOST })
  return {
    uri: 'holdpoint://holds',
    one: 'hold',
    title: 'Open holds',
    description: `What waits for somebody to decide, oldest first, at most ${MOST}. With list_holds one can filter and page.`,
    list: async ({ actor }) => {
      const holds = await open()
      await onShow(holds, actor)
      return holds.map(document)
    },
    read: async (id, { actor }) => {
      const hold = await holdpoint.hold(id)
      if (hold) await onShow([hold], actor)
      return hold && document(hold)
    },
    members: async () => (await open()).map(hold => ({ id: hold.id, title: titleOf(hold) })),
  }
}

function document(hold: Hold): Json {
  return JSON.parse(JSON.stringify(holdDocument(hold))) as Json
}

function titleOf({ agent, message, tool }: Hold): string {
  return visibleLine(`${agent}: ${message || usualMessage(tool ?? 'it')}`)
}

const LIST = 'get_all_tasks'
const DETAILS = 'get_task_details'

/** Tasks in the words of their controls. */
function taskResources(controls: readonly Control[]): readonly ResourceSource[] {
  const named = (name: string) => controls.find(control => control.name === name)
  const [list, details] = [named(LIST), named(DETAILS)]
  if (!list || !details) return []
  const by = (reader: Reader): ControlContext => ({ ...reader, surface: SURFACE, onProgress: () => {} })
  return [
    {
      uri: 'holdpoint://tasks',
      one: 'task',
      title: 'Tasks',
      description: `All tasks, as ${LIST} tells of them.`,
      list: reader => list.call({}, by(reader)),
      read: (id, reader) => unlessUnknown(details.call({ task_id: id }, by(reader))),
      members: async reader => membersIn(await list.call({}, by(reader))),
    },
  ]
}

async function unlessUnknown(details: Promise<JsonObject>): Promise<Json | null> {
  try {
    return await details
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_task') return null
    throw thrown
  }
}

function membersIn({ tasks }: JsonObject): { id: string; title: string }[] {
  if (!Array.isArray(tasks)) return []
  return (tasks as readonly JsonObject[]).map(task => {
    const id = String(task['task_id'] ?? task['id'])
    return { id, title: visibleLine(`${task['status']}: ${task['title'] ?? id}`) }
  })
}
