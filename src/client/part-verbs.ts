/** The verbs of the parts of the face whose arguments or documents differ from those of the server. */
import type { AuditedRecord } from '../runtime/threads/audit.ts'
import { followAgent, followAgents } from './follow.ts'
import { pagesOf } from './pages.ts'
import type { RemoteAgents, RemoteAudit, RemoteGrants, RemoteTasks } from './remote-holdpoint.ts'
import { servedVerbs, verbRequest } from './verb-request.ts'
import type { Wire } from './wire.ts'

export function grantVerbs(wire: Wire): RemoteGrants {
  return {
    ...servedVerbs<RemoteGrants>(wire, 'grants.'),
    list: async (query = {}) =>
      (await wire.get<{ grants: Awaited<ReturnType<RemoteGrants['list']>> }>(['grants'], query)).grants,
  }
}

export function auditVerbs(wire: Wire): RemoteAudit {
  return {
    ...servedVerbs<RemoteAudit>(wire, 'audit.'),
    list: (query = {}) => pagesOf<AuditedRecord>(wire, 'audit', { ...query, lines: true }, 'records'),
    shown: async (holdIds, seen = {}) => {
      for (const id of holdIds) await wire.ask({ ...verbRequest('audit.shown', id, seen), isKeyed: true })
    },
  }
}

export function taskVerbs(wire: Wire): RemoteTasks {
  return {
    ...servedVerbs<RemoteTasks>(wire, 'tasks.'),
    list: ({ subject, ids: _, ...query } = {}) => wire.get(['tasks'], { ...query, run_id: subject }),
    invocation: (id, n) => wire.ask(verbRequest('tasks.invocation', id, n ?? 'newest')),
    resume: (id, { answer: { choices, prompt }, checkpoint_id }) => {
      const said = { ...(choices && { choices }), ...(prompt !== null && { text: prompt }) }
      return wire.ask(verbRequest('tasks.resume', id, { ...said, ...(checkpoint_id !== null && { checkpoint_id }) }))
    },
  }
}

const MODES = { queue: 'queue', supersede: 'steer', interrupt: 'interrupt' } as const

export function agentVerbs(wire: Wire): RemoteAgents {
  return {
    ...servedVerbs<RemoteAgents>(wire, 'agents.'),
    definitions: async () => {
      const { definitions } = await wire.get<{ definitions: { name: string }[] }>(['definitions'])
      return definitions.map(({ name }) => name)
    },
    send: (named, { whileWaiting = 'queue', ...message }) =>
      wire.ask(verbRequest('agents.send', named, { ...message, mode: MODES[whileWaiting] })),
    respawn: named => wire.ask(verbRequest('agents.respawn', named)),
    fork: (named, { name, text } = {}) =>
      wire.ask(verbRequest('agents.fork', named, { name: name ?? undefined, text: text ?? undefined })),
    follow: (named, options) => followAgent(wire, named, options),
    changes: options => followAgents(wire, options),
  }
}
