import { type Hold, usualMessage } from '../../core/hold/hold.ts'
import { holdDocument } from '../../core/hold-view/hold-document.ts'
import type { Json } from '../../core/text/json.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { ResourceSource } from '../../protocols/mcp/offer/offer.ts'
import type { Holds } from '../../runtime/face/holds.ts'

/** The most that one page shows. */
const MOST = 200

/** All open holds; any hold by its id. */
export function holdResources(
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
