import type { AgentStatus } from '../../../src/core/fleet/agent-status.ts'

/** Who a message is for. A background agent takes it however it stands: one that is parked or done goes on with it. */
export type Recipient =
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'agent'; readonly threadId: string; readonly id: string; readonly status: AgentStatus }
