/** `holdpoint/client`: a client of `holdpoint serve`, for programs and pages. It needs `fetch`, and nothing of Node. */
export { HoldpointError, RefusedError } from '../core/errors.ts'
export type { JournalEvent } from '../core/journal/event.ts'
export type { Ephemeral } from '../ports/event-sink.ts'
export { connectHoldpoint } from './connect-holdpoint.ts'
export type {
  RemoteAgentMessage,
  RemoteAgents,
  RemoteAnswer,
  RemoteAudit,
  RemoteCaller,
  RemoteCancelled,
  RemoteChange,
  RemoteDecision,
  RemoteFound,
  RemoteGrants,
  RemoteHoldpoint,
  RemoteHolds,
  RemoteRun,
  RemoteRunNode,
  RemoteRunQuery,
  RemoteRunRow,
  RemoteRuns,
  RemoteSpawn,
  RemoteTasks,
  RemoteThread,
  RemoteThreads,
} from './remote-holdpoint.ts'
export { ServerError } from './server-error.ts'
export type { ClientOptions } from './wire.ts'
