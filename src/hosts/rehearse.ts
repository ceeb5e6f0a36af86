import { statSync } from 'node:fs'
import { RefusedError } from '../core/errors.ts'
import type { Profile } from '../core/profile.ts'
import type { AgentRegistry } from './agents/agent-registry.ts'

/** Finds what can be known to fail, before anything is written. @throws RefusedError */
export async function rehearse(agents: AgentRegistry, profile: Profile): Promise<void> {
  refuseMissingWorkdir(profile.workdir)
  const agent = await agents.load(profile)
  await agent.model()
}

/** @throws RefusedError `no_workdir` */
export function refuseMissingWorkdir(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new RefusedError('no_workdir', `The working directory ${path} is not there.`, {
    hint: 'Make it, or name another with --workdir.',
  })
}
