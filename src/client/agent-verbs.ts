import { followAgent, followAgents } from './follow.ts'
import { newKey } from './new-key.ts'
import type { RemoteAgents } from './remote-holdpoint.ts'
import type { Wire } from './wire.ts'

const MODES = { queue: 'queue', supersede: 'steer', interrupt: 'interrupt' } as const

export function agentVerbs(wire: Wire): RemoteAgents {
  return {
    list: (query = {}) => wire.get(['agents'], query),
    find: named => wire.get(['agents', named]),
    definitions: async () => {
      const { definitions } = await wire.get<{ definitions: { name: string }[] }>(['definitions'])
      return definitions.map(({ name }) => name)
    },
    spawn: ({ startId = newKey('start'), ...body }) =>
      wire.ask({ method: 'POST', path: ['agents'], body, key: startId }),
    send: (named, { author: _, surface: __, whileWaiting, inputId = newKey('msg'), ...content }) => {
      const body = { ...content, mode: MODES[whileWaiting ?? 'queue'] }
      return wire.ask({ method: 'POST', path: ['agents', named, 'messages'], body, key: inputId })
    },
    end: named => wire.ask({ method: 'POST', path: ['agents', named, 'end'], body: {} }),
    kill: (named, { reason } = {}) => wire.ask({ method: 'DELETE', path: ['agents', named], query: { reason } }),
    respawn: named => wire.ask({ method: 'POST', path: ['agents', named, 'respawn'], body: {} }),
    remove: (named, { discard = false } = {}) =>
      wire.ask({ method: 'POST', path: ['agents', named, 'remove'], body: { discard } }),
    follow: (named, options) => followAgent(wire, named, options),
    changes: options => followAgents(wire, options),
    fork: (named, { name = null, text = null } = {}) => {
      const body = { ...(name !== null && { name }), ...(text !== null && { text }) }
      return wire.ask({ method: 'POST', path: ['agents', named, 'fork'], body })
    },
  }
}
