import type { Amount } from '../count.ts'

/** Why the newest turn of an agent failed. */
export interface TurnError {
  readonly code: string
  readonly message: string
}

/** The process of a background agent, as it describes itself while it runs. */
export interface Presence {
  readonly task_id: string
  /** The invocation of the task that it is the process of. */
  readonly invocation: Amount
  /** The process, named like `Liveness.self`. A presence whose process certainly is gone counts as gone. */
  readonly process: string
  /** Absolute path of its socket. */
  readonly endpoint: string
  /** The version of the frames that it speaks. */
  readonly protocol: Amount
  /** How many are attached. */
  readonly clients: Amount
  /** The name of the client that has the writer's lease; `null` if none has. */
  readonly writer: string | null
  /** Messages that its run has not taken in yet. */
  readonly queued: Amount
  /** The error of the newest turn; `null` if that turn went well, or is not over. */
  readonly last_error: TurnError | null
  /** ISO times; `null` if there was no input, or no client has left. */
  readonly last_input_at: string | null
  readonly last_left_at: string | null
  readonly updated_at: string
}

/** The fields that change while a process is there. A missing field stays as it is. */
export type PresenceChange = Partial<
  Pick<Presence, 'clients' | 'writer' | 'queued' | 'last_error' | 'last_input_at' | 'last_left_at'>
>
