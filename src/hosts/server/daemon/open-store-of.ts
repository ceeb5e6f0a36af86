import type { CommandContext } from '../../command/command.ts'
import { type App, openApp } from '../../compose/compose.ts'
import { readConfig } from '../../project/project.ts'
import { isStoreThere, storeUrl, unlessMissing } from '../../project/store-url.ts'

/** The store that the flags, the environment or the project name. `null` if it is not there: looking never makes one. */
export async function openStoreOf({ given, env, directory }: CommandContext): Promise<App | null> {
  const config = await readConfig(directory, env)
  const store = storeUrl(given.value('store'), env, config)
  if (!isStoreThere(store, directory)) return null
  return unlessMissing(() => openApp({ store, directory, env, maxConcurrent: config.max_concurrent, mustExist: true }))
}
