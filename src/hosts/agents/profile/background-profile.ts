import { PAUSE_KINDS, type Profile } from '../../../core/run/profile.ts'
import type { Interactive } from '../../../core/settings/interactive-settings.ts'
import { type InteractiveSettings, stayingOf } from '../../../core/settings/interactive-settings.ts'
import { agentFileRefusals } from '../../refusals/agent-file-refusals.ts'
import type { ProfileDeps } from './run-profile.ts'

export interface BackgroundTerms {
  readonly profile: Profile
  /** `null`: its process ends when its run pauses or ends. */
  readonly interactive: Interactive | null
}

/**
 * How an agent runs in the background. The caller's word counts before that of the agent, and the agent's before that
 * of the project.
 * @throws RefusedError `invalid_arguments` if the times of an interactive agent are given for one that is not
 */
export async function backgroundTerms(
  { agents, config }: ProfileDeps,
  profile: Profile,
  asked: InteractiveSettings,
): Promise<BackgroundTerms> {
  const { staying } = await agents.definitionOf(profile)
  const interactive = stayingOf([asked, staying, config])
  const isForNothing = asked.idle_timeout !== null || asked.on_idle !== null
  if (interactive === null && isForNothing) throw agentFileRefusals.idleButNotInteractive()
  return { profile: gated(profile, interactive), interactive }
}

/** In the background a call that asks is never refused for want of a person: it waits as a hold, on every surface. */
function gated(profile: Profile, interactive: Interactive | null): Profile {
  const isAsked = (kind: string) => kind !== 'input' || interactive !== null
  return { ...profile, pause_on: PAUSE_KINDS.filter(kind => profile.pause_on.includes(kind) || isAsked(kind)) }
}
