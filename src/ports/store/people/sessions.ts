import type { Session } from '../../../core/people/session.ts'

/** A session or a link as it is put on record. */
export interface NewSession extends Omit<Session, 'created_at' | 'ended_at' | 'ended_by'> {
  /** `sha256:` of its secret, unique in the store. */
  readonly digest: string
  readonly surface: string
}

/** A link that a browser opened. */
export interface RedeemedLink {
  /** The digest of the link's secret. */
  readonly digest: string
  /** The digest of the secret that the browser gets for it. */
  readonly session_digest: string
  /** ISO time. */
  readonly expires_at: string
  readonly surface: string
}

/** Ends one session, or all sessions and links of a name. */
export type SessionEnd = ({ readonly id: string } | { readonly name: string }) & {
  readonly by: string
  readonly surface: string
}

/**
 * The browsers in which people are signed in. The record of each session that begins or is ended is written in the same
 * transaction (P10).
 */
export interface SessionStore {
  add(session: NewSession): Promise<Session>
  /** Finds a session also if it has ended or expired; `null` if there is none. */
  find(digest: string): Promise<Session | null>
  /** Makes the link a session, once; `null` if it is unknown, used, ended or has expired. */
  redeem(link: RedeemedLink): Promise<Session | null>
  /** Ends sessions, and returns those that were not ended before. */
  end(end: SessionEnd): Promise<readonly Session[]>
  /** The sessions that neither were ended nor have expired, oldest first. */
  list(): Promise<readonly Session[]>
}
