import type { Ephemeral } from './event-sink.ts'

/**
 * Carries ephemeral events from the process that advances a run to every process that follows it. Nothing durable
 * depends on it: it never throws, no caller waits for it, and what it loses is lost.
 */
export interface LiveChannel {
  /** Sends a piece to the other processes that follow its thread. Without such processes it costs next to nothing. */
  publish(event: Ephemeral): void
  /** Announces that pieces may arrive soon: the channel finds out now which processes follow. */
  expect(): void
  /** Listens for pieces about a thread from other processes, until it is disposed of. */
  follow(threadId: string, onEvent: (event: Ephemeral) => void): Disposable
  /** Lets go of sockets and files. */
  close(): Promise<void>
}

/** A store may bring a channel between all hosts that reach it. */
export interface LiveCarrier {
  openLiveChannel(): LiveChannel
}
