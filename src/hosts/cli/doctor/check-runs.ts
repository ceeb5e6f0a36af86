/** Runs that go on by no waiting. The store is opened only if that changes nothing in it. */
import { resolve } from 'node:path'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import { openApp } from '../../compose/compose.ts'
import { examineDatabase, inspectStore } from '../../compose/inspect-store.ts'
import { isStoreThere } from '../../project/store-url.ts'
import { type Finding, ok, warn } from './finding.ts'

/** None if the store cannot be read: its own check tells why. */
export async function checkRuns(store: string, directory: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    if (!(await isCurrent(store, directory))) return []
    await using app = await openApp({ store, directory, env, mustExist: true })
    const stuck = await app.countStuck()
    if (stuck === 0) return [ok('runs', 'none is stuck')]
    const message = stuck === 1 ? '1 run is stuck' : `${stuck} runs are stuck`
    return [warn('runs', message, 'See why in `holdpoint runs`, and how each goes on.')]
  } catch {
    return []
  }
}

async function isCurrent(url: string, directory: string): Promise<boolean> {
  const { file, scheme } = new StoreLocation(url)
  if (scheme.startsWith('postgres')) {
    const { store, newest } = await examineDatabase(url)
    return store?.schema === newest && !store.moved
  }
  if (file === null || !isStoreThere(url, directory)) return false
  const { isOurs, schema, newest, moved } = await inspectStore(resolve(directory, file), { deep: false })
  return isOurs && schema === newest && !moved
}
