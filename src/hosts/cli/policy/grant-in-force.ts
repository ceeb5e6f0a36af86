import type { Grant } from '../../../core/hold/grant.ts'
import { type Coverable, forToolNow, grantAmong } from '../../../runtime/gate/standing-grant.ts'
import type { CommandContext } from '../../command/command.ts'
import { systemIds } from '../../process/system-ids.ts'
import { readConfig } from '../../project/project.ts'
import { isStoreThere, storeUrl, unlessMissing } from '../../project/store-url.ts'
import { openForReading } from '../open-for-reading.ts'

/**
 * The standing grant by which a new run of the agent here would let the call pass, as its gate chooses it; `null` if there
 * is none. Grants of one run or session count for that one alone, and a row that was changed by hand counts for nothing.
 */
export async function grantInForce(
  context: CommandContext,
  agent: string,
  coverable: Coverable,
): Promise<Grant | null> {
  const { given, env, directory } = context
  const config = await readConfig(directory, env)
  if (!isStoreThere(storeUrl(given.value('store'), env, config), directory)) return null
  await using app = await unlessMissing(() => openForReading(context))
  if (app === null) return null
  const { tool } = coverable
  const isAsGiven = async ({ id }: Grant) => (await app.store.grantFault(id)) === null
  return await grantAmong(
    async () => {
      const grants = await app.holdpoint.grants.list({ agent, tool: tool.name })
      const here = grants.filter(({ scope, scope_id }) => scope === 'project' && scope_id === directory)
      return forToolNow(here, tool, systemIds)
    },
    { ...coverable, isAsGiven },
  )
}
