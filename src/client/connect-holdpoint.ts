import { followChanges } from './follow.ts'
import { holdVerbs } from './hold-verbs.ts'
import { agentVerbs, auditVerbs, grantVerbs, taskVerbs } from './part-verbs.ts'
import type { RemoteHoldpoint } from './remote-holdpoint.ts'
import { runVerbs, threadVerbs } from './run-verbs.ts'
import { servedVerbs } from './verb-request.ts'
import { type ClientOptions, Wire } from './wire.ts'

/**
 * Connects programs and pages to a `holdpoint serve`. Sends nothing before a verb is called, and keeps only followed
 * streams open, so it needs no closing.
 * @throws RefusedError `unsafe_address`
 */
export function connectHoldpoint(options: ClientOptions): RemoteHoldpoint {
  const wire = new Wire(options)
  return {
    ...servedVerbs<RemoteHoldpoint>(wire, ''),
    ...holdVerbs(wire),
    ...runVerbs(wire),
    ...threadVerbs(wire),
    tasks: taskVerbs(wire),
    agents: agentVerbs(wire),
    grants: grantVerbs(wire),
    audit: auditVerbs(wire),
    changes: options => followChanges(wire, options),
  }
}
