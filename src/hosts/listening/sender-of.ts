import type { RefusedError } from '../../core/errors.ts'
import type { Sender } from '../../protocols/http/answer-requests.ts'
import { refusalProblem } from '../../protocols/http/refusal-problem.ts'
import { standingOf } from '../process/lineage/agent-around.ts'
import { isInOtherNamespace } from '../process/lineage/namespaces.ts'
import { type Connection, type Holders, holdersOf, isOfThisMachine, stillHold } from '../process/lineage/tcp-peer.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

/** Connections of processes that no agent started, with those that held them when they were looked up. */
const passed = new WeakMap<Connection, Holders>()

/** The sender of requests over a connection. */
export function senderOf(socket: Connection = {}): Sender {
  const objection = () => {
    const refusal = objectionToPeer(socket)
    return refusal && refusalProblem(refusal)
  }
  return { from: socket.remoteAddress ?? '', objection }
}

/**
 * P1: a process of an agent can read each token that its user can read, so a process of this machine is looked up. Of
 * other machines nothing is known but what they prove.
 */
export function objectionToPeer(socket: Connection): RefusedError | null {
  if (process.platform !== 'linux') return null
  const known = passed.get(socket)
  if (known && stillHold(known)) return null
  if (!isOfThisMachine(socket)) return null
  const holders = holdersOf(socket)
  const why = trouble(holders?.pids ?? [])
  if (why !== null) return projectRefusals.processNotTrusted(why)
  if (holders) passed.set(socket, holders)
  return null
}

function trouble(pids: readonly number[]): string | null {
  if (pids.length === 0) return 'it is not found among the processes of this machine'
  for (const pid of pids) {
    const { agent, unseen } = standingOf(pid)
    if (unseen !== null) return unseen
    if (agent !== null) return `it runs in a command of ${agent}`
    if (isInOtherNamespace(pid)) return 'it is in another namespace than this server'
  }
  return null
}
