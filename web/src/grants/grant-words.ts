import type { Documents } from '../api/documents.ts'

export type Grant = Documents['Grants']['grants'][number]

export type Suggestion = Documents['Suggestions']['suggestions'][number]

const SCOPES: Readonly<Record<Grant['scope'], string>> = {
  run: 'in one run',
  thread: 'in one conversation',
  project: 'in all runs of the project',
}

/** Which calls it lets pass, as a sentence. */
export function coverText({ agent, tool, scope, match }: Grant): string {
  const what = match === null ? 'with exactly these arguments' : 'with arguments that fit these patterns'
  return `${agent} may call ${tool} ${what}, ${SCOPES[scope]}, without asking.`
}

/** The status at `now` (milliseconds since 1970). */
export function standingOf({ revoked_at, expires_at }: Grant, now: number): 'in force' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'in force'
}
