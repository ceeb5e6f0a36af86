/**
 * The right to send messages at the endpoint of one agent.
 * W1  At most one client has it. All others view, and see who writes.
 * W2  A client that only views never gets it by itself: it has to ask (`take_writer`).
 * W3  When its owner leaves, it is free. The first client that connected to write and sends something gets it.
 */
export type ClientRole = 'writer' | 'viewer'

export interface WriterClient {
  /** Unique at its endpoint. */
  readonly id: string
  readonly actor: string
  readonly role: ClientRole
}

/** The owner of the lease; `null`: it is free. */
export type WriterLease = WriterClient | null

/** The lease after a client has connected: a client that connected to write gets it, if it is free. */
export function afterArrival(lease: WriterLease, client: WriterClient): WriterLease {
  return lease ?? (client.role === 'writer' ? client : null)
}

/** The lease once a client has left. */
export function afterLeaving(lease: WriterLease, client: Pick<WriterClient, 'id'>): WriterLease {
  return lease?.id === client.id ? null : lease
}

/** Whether this client may send a message now, and the lease if it does; `null`: another one writes, or it only views. */
export function leaseToWrite(lease: WriterLease, client: WriterClient): WriterClient | null {
  if (lease) return lease.id === client.id ? lease : null
  return client.role === 'writer' ? client : null
}

export function roleOf(lease: WriterLease, client: Pick<WriterClient, 'id'>): ClientRole {
  return lease?.id === client.id ? 'writer' : 'viewer'
}
