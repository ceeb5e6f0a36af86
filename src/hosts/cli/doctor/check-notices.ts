import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import { inspectStore } from '../../compose/inspect-store.ts'
import type { ConfiguredDirectory } from '../../project/project.ts'
import { type Finding, failure, ok, warn } from './finding.ts'

/** Whether people can be told, and whether all that was to be told was. Nothing is sent. */
export async function checkNotices({
  config: { notify },
  env,
  directory,
  store,
}: ConfiguredDirectory & { readonly store: string }): Promise<Finding> {
  const failed = await failedNotices(store, directory)
  if (failed > 0)
    return warn(
      'notices',
      `${failed} ${failed === 1 ? 'notice was' : 'notices were'} given up`,
      'See `holdpoint notices --failed`, and retry them.',
    )
  if (notify === null) return ok('notices', 'people are told nothing: there are no notify.channels')
  try {
    const { readChannels } = await import('../../compose/notifiers.ts')
    await readChannels(notify, env)
  } catch (thrown) {
    return failure('notices', thrown)
  }
  const { webhook, command, terminal, ...others } = notify.channels
  const named = [webhook.length > 0 && 'webhook', command.length > 0 && 'command', terminal && 'terminal']
  const rest = Object.entries(others).map(([kind, settings]) => settings !== null && kind)
  return ok('notices', `by ${[...named, ...rest].filter(kind => kind !== false).join(', ') || 'no channel'}`)
}

async function failedNotices(url: string, directory: string): Promise<number> {
  const { file } = new StoreLocation(url)
  const path = file === null ? null : resolve(directory, file)
  if (path === null || !existsSync(path)) return 0
  // A store that cannot be read is found by its own check.
  return inspectStore(path, { deep: false }).then(
    ({ failed_notices }) => failed_notices,
    () => 0,
  )
}
