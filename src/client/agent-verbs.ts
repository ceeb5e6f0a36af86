import { newKey } from './new-key.ts'
import type { RemoteAgents } from './remote-holdpoint.ts'
import type { Wire } from './wire.ts'

export function agentVerbs(wire: Wire): RemoteAgents {
  return {
    list: (query = {}) => wire.get(['agents'], query),
    find: named => wire.get(['agents', named]),
    spawn: request => wire.ask({ method: 'POST', path: ['agents'], body: request }),
    send: (named, { author: _, surface: __, whileWaiting, inputId = newKey('msg'), ...content }) => {
      const body = { ...content, mode: whileWaiting === 'supersede' ? 'steer' : 'queue' }
      return wire.ask({ method: 'POST', path: ['agents', named, 'messages'], body, key: inputId })
    },
    end: named => wire.ask({ method: 'POST', path: ['agents', named, 'end'], body: {} }),
    kill: (named, { reason } = {}) => wire.ask({ method: 'DELETE', path: ['agents', named], query: { reason } }),
    respawn: named => wire.ask({ method: 'POST', path: ['agents', named, 'respawn'], body: {} }),
    fork: (named, { name = null, text = null } = {}) => {
      const body = { ...(name !== null && { name }), ...(text !== null && { text }) }
      return wire.ask({ method: 'POST', path: ['agents', named, 'fork'], body })
    },
  }
}
