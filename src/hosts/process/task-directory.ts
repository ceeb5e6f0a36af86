import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../ports/store/store.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

type TaskStore = Pick<Store, 'capabilities' | 'location' | 'hosts' | 'secret'>

/** The directory of tasks' output on this machine. @throws RefusedError `store_forgets` or `store_out_of_reach` */
export async function taskDirectory(store: TaskStore): Promise<string> {
  const { capabilities, location, hosts } = store
  const { display, tasksDirectory } = location
  if (!capabilities.isShared) throw projectRefusals.storeForgets(display)
  if (hosts.self !== null) return hostDirectory(hosts.self, await store.secret())
  if (tasksDirectory === null) throw projectRefusals.storeOutOfReach(display)
  return tasksDirectory
}

/** A store on another machine has no files here: each user of a host has a directory of its own for it. */
function hostDirectory(host: string, secret: string): string {
  const store = hash('sha256', `tasks of ${secret}`, 'hex').slice(0, 16)
  return join(stateDirectory(), store, host, 'tasks')
}

/** A container may run under an id that has neither a name nor a home. */
function stateDirectory(): string {
  try {
    return join(homedir(), '.local', 'state', 'holdpoint')
  } catch {
    return join(tmpdir(), `holdpoint-${process.getuid?.() ?? 'user'}`, 'tasks')
  }
}

/** Whether output of tasks may be kept here. */
export async function keepsOutput(store: TaskStore): Promise<boolean> {
  if (store.hosts.self === null && store.location.tasksDirectory === null) return false
  return store.capabilities.isShared && existsSync(await taskDirectory(store))
}
