import { cp, rm } from 'node:fs/promises'
import type { Project } from './project.ts'

export interface Snapshot extends AsyncDisposable {
  /** Puts the directory back into the state that it was in. */
  restore(): Promise<void>
}

/** Keeps a copy of a project, so that the same moment can be lived through again and again. */
export async function snapshotOf(project: Project): Promise<Snapshot> {
  const copy = `${project.directory}-snapshot`
  await cp(project.directory, copy, { recursive: true })
  return {
    restore: async () => {
      await rm(project.directory, { recursive: true, force: true, maxRetries: 10 })
      await cp(copy, project.directory, { recursive: true })
    },
    [Symbol.asyncDispose]: () => rm(copy, { recursive: true, force: true, maxRetries: 10 }),
  }
}
