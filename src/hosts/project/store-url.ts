import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { RefusedError } from '../../core/errors.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import type { ProjectConfig } from './project.ts'

/** In the directory of the project. */
const DEFAULT_STORE_FILE = '.holdpoint/holdpoint.db'
export const DEFAULT_STORE: string = `sqlite:${DEFAULT_STORE_FILE}`

/**
 * The URL of the store: the flag, then the environment, then the project, then the default. An empty variable does not
 * count.
 */
export function storeUrl(
  flag: string | null,
  env: Readonly<Record<string, string | undefined>>,
  config: ProjectConfig,
): string {
  return flag ?? (env['HOLDPOINT_STORE'] || (config.store ?? defaultStore(config)))
}

export function isStoreInEnvironment(flag: string | null, env: Readonly<Record<string, string | undefined>>): boolean {
  return flag === null && Boolean(env['HOLDPOINT_STORE'])
}

/** The store as the next command must name it; `null` if that finds it in the environment or in the project. */
export function storeToName(
  flag: string | null,
  {
    env,
    config,
    location,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly config: ProjectConfig
    readonly location: StoreLocation
  },
): string | null {
  return flag === null || flag === storeUrl(null, env, config) ? null : location.commandUrl
}

/** True for the store in the project's own `.holdpoint/`. */
export function isDefaultStore(url: string, config: ProjectConfig): boolean {
  return url === defaultStore(config)
}

function defaultStore({ root }: ProjectConfig): string {
  return root === null ? DEFAULT_STORE : `sqlite:${join(root, DEFAULT_STORE_FILE)}`
}

export function isStoreThere(url: string, directory: string): boolean {
  const { file } = new StoreLocation(url)
  return file === null || !isMissing(resolve(directory, file))
}

/** Looking and resuming never make a store. @throws RefusedError `no_store` */
export function refuseMissingStore(url: string, directory: string): void {
  if (isStoreThere(url, directory)) return
  const path = resolve(directory, new StoreLocation(url).file ?? '')
  throw projectRefusals.noStore(path)
}

/**
 * A store that may not be read, or whose log still exists, counts as present: opening it reports why it cannot be
 * used.
 */
function isMissing(path: string): boolean {
  try {
    return [path, `${path}-wal`].every(each => statSync(each, { throwIfNoEntry: false }) === undefined)
  } catch {
    return false
  }
}

/** `null` if there is no store. */
export async function unlessMissing<T>(open: () => Promise<T>): Promise<T | null> {
  try {
    return await open()
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'no_store') return null
    throw thrown
  }
}
