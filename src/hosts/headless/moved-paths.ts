import { isAbsolute, join, relative } from 'node:path'
import type { Profile, ProfileChanges } from '../../core/run/profile.ts'
import type { RunRequest } from './run-request.ts'

const SCRIPT = 'script:'

/** Settings that a flag names stay as the flag says. */
type Explicit = Pick<RunRequest, 'agent' | 'model' | 'workdir'>

/**
 * The files of a run on another machine. Paths below its project directory, or below the one in which it was started,
 * become paths below this one. All others stay. Its servers are those that are configured here.
 */
export function movedPaths(profile: Profile, directory: string, explicit: Explicit): ProfileChanges {
  const { agent_file, model, workdir, project, configured_in } = profile
  const roots = [project ?? workdir, ...(configured_in === undefined ? [] : [configured_in])]
  const moved = (path: string) => {
    const root = roots.find(each => isWithin(each, path))
    return root === undefined ? path : join(directory, relative(root, path))
  }
  const here = {
    project: directory,
    ...(configured_in !== undefined && { configured_in: directory }),
    ...(explicit.workdir === null && { workdir: moved(workdir) }),
    ...(explicit.agent === null && agent_file !== null && { agent_file: moved(agent_file) }),
    ...(explicit.model === null && model?.startsWith(SCRIPT) && { model: movedScript(model, moved) }),
  }
  const changed = Object.entries(here).filter(([key, value]) => profile[key as keyof Profile] !== value)
  return Object.fromEntries(changed)
}

function movedScript(model: string, moved: (path: string) => string): string {
  return `${SCRIPT}${moved(model.slice(SCRIPT.length))}`
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return !isAbsolute(way) && way !== '..' && !way.startsWith('../')
}
