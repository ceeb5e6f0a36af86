import { statSync } from 'node:fs'
import { RefusedError } from '../../core/errors.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { AgentRegistry, RegisteredAgent } from './agent-registry.ts'
import { refuseMissing } from './allowed-tools.ts'

/** Finds what can be known to fail, before anything is written. @throws RefusedError */
export async function rehearse(agents: AgentRegistry, profile: Profile): Promise<RegisteredAgent> {
  refuseMissingWorkdir(profile.workdir)
  const agent = await agents.load(profile)
  await agent.model()
  return agent
}

/** A new run has every tool that its agent names; of an older one some may be gone by now. @throws RefusedError */
export async function rehearseStart(agents: AgentRegistry, profile: Profile): Promise<void> {
  refuseMissing(await rehearse(agents, profile))
}

/** @throws RefusedError `no_workdir` */
export function refuseMissingWorkdir(path: string): void {
  if (!path.includes('\0') && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new RefusedError('no_workdir', `The working directory ${path} is not there.`, {
    hint: 'Make it, or name another with --workdir.',
  })
}
