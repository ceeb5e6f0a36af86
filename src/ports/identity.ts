import type { Membership } from '../core/people/membership.ts'

/** A person or program, and the proof of who it is: no name counts for more than its proof. */
export interface Principal {
  /** The name as in `decided_by`: `ana`, or `agent:NAME/RUN`. */
  readonly name: string
  readonly kind: 'person' | 'agent' | 'service'
  /** The groups as the proof names them, without `@`. */
  readonly groups: readonly string[]
  /** The groups of the project that were proven of them. Default: none. */
  readonly member_of?: Membership | null
  /** `claimed`: by the caller alone, as a login name or `HOLDPOINT_ACTOR`. `agent`: the process runs within an agent. */
  readonly proven: 'claimed' | 'token' | 'session' | 'signature' | 'agent'
  readonly rights: Rights
}

/** The most that a principal may do; the deciders of each hold may narrow it. */
export interface Rights {
  readonly see: boolean
  readonly decide: boolean
}
