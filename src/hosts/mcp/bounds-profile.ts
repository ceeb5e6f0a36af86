import type { Profile } from '../../core/run/profile.ts'
import { newProfile, type ProfileDeps } from '../agents/profile/run-profile.ts'
import type { Bounds } from './mcp-settings.ts'

/** The bounds of an agent that is started here: the profile of a run with the same flags. @throws RefusedError */
export function boundsProfile(site: ProfileDeps, bounds: Bounds): Promise<Profile> {
  return newProfile(site, { ...bounds, systemPrompt: null, pauseOn: ['approval', 'question'] })
}
