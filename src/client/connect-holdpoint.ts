import type { AuditedRecord } from '../runtime/threads/audit.ts'
import { agentVerbs } from './agent-verbs.ts'
import { followChanges } from './follow.ts'
import { holdVerbs } from './hold-verbs.ts'
import { pages } from './pages.ts'
import type { RemoteGrants, RemoteHoldpoint } from './remote-holdpoint.ts'
import { runVerbs } from './run-verbs.ts'
import { taskVerbs } from './task-verbs.ts'
import { threadVerbs } from './thread-verbs.ts'
import { type ClientOptions, Wire } from './wire.ts'

/**
 * A Holdpoint behind `holdpoint serve`, for programs and pages. Nothing is sent before a verb is called, and nothing is
 * kept open but what is followed, so it needs no closing. @throws RefusedError `unsafe_address`
 */
export function connectHoldpoint(options: ClientOptions): RemoteHoldpoint {
  const wire = new Wire(options)
  return {
    ...holdVerbs(wire),
    ...runVerbs(wire),
    ...threadVerbs(wire),
    tasks: taskVerbs(wire),
    agents: agentVerbs(wire),
    grants: grantVerbs(wire),
    audit: auditVerbs(wire),
    changes: options => followChanges(wire, options),
    me: () => wire.get(['me']),
  }
}

function grantVerbs(wire: Wire): RemoteGrants {
  return {
    list: async (query = {}) => {
      const { grants } = await wire.get<{ grants: Awaited<ReturnType<RemoteGrants['list']>> }>(['grants'], query)
      return grants
    },
    revoke: id => wire.ask({ method: 'DELETE', path: ['grants', id] }),
  }
}

function auditVerbs(wire: Wire): RemoteHoldpoint['audit'] {
  return {
    list: ({ limit, after, ...query } = {}) =>
      pages<AuditedRecord>(
        async place => {
          const asked = { ...query, ...place, lines: true }
          const { records, next } = await wire.get<{ records: AuditedRecord[]; next: number | null }>(['audit'], asked)
          return { rows: records, next }
        },
        { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) },
      ),
    head: () => wire.get(['audit', 'head']),
    explain: runId => wire.get(['runs', runId, 'explanation']),
    report: (query = {}) => wire.get(['report'], query),
    shown: async (holdIds, seen = {}) => {
      for (const id of holdIds)
        await wire.ask({ method: 'POST', path: ['holds', id, 'shown'], body: { ...seen }, isKeyed: true })
    },
    replay: rule => wire.ask({ method: 'POST', path: ['report', 'replay'], body: rule }),
  }
}
