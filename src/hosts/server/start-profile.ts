import { RefusedError } from '../../core/errors.ts'
import type { Profile } from '../../core/run/profile.ts'
import { rehearsePolicy } from '../agents/profile/remarks-on-policy.ts'
import { newProfile, type ProfileDeps } from '../agents/profile/run-profile.ts'
import { agentNames } from '../project/agent-files.ts'
import { projectRoot } from '../project/project-root.ts'

/**
 * The profile of a run that a client starts. A client names an agent of the project or of the user, and never a file.
 * It pauses if it needs a person: there is a server at which people decide. @throws RefusedError
 */
export async function startProfile(deps: ProfileDeps, agent: string | null): Promise<Profile> {
  const known = startableAgents(deps)
  if (agent !== null && !known.includes(agent)) throw unknownAgent(agent, known)
  const flags = { model: null, tools: null, maxSteps: null, policy: null, workdir: null, systemPrompt: null }
  const profile = await newProfile(deps, {
    ...{ ...flags, agent, pauseOn: ['approval', 'question'] },
    // People decide one by one here: each decision starts its call, and calls that need no person do not wait.
    usualHoldScope: 'call',
  })
  await rehearsePolicy(deps, profile, { forClients: true })
  return profile
}

/** Names of the agents of the project and of the user. */
export function startableAgents({ directory, env }: ProfileDeps): readonly string[] {
  return agentNames({ root: projectRoot(directory), env })
}

function unknownAgent(name: string, known: readonly string[]): RefusedError {
  return new RefusedError('unknown_agent', `There is no agent ${JSON.stringify(name)} here. Nothing was started.`, {
    hint:
      known.length === 0
        ? 'Leave `agent` out for the usual one, or write .holdpoint/agents/NAME.md.'
        : `Known: ${known.join(', ')}. Leave \`agent\` out for the usual one.`,
  })
}
