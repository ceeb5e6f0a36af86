import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface Patience {
  /** After this long without a byte in either direction a connection is closed. */
  readonly idleMs: number
  /** The same once one side has nothing more to say. */
  readonly halfOpenMs: number
}

/** Passes bytes and ends both ways until both are done, one breaks, or both are silent for too long. */
export function joinSockets(one: Duplex, other: Socket, patience: Patience): void {
  const [first, second] = [one as Socket, other]
  for (const [from, to] of [
    [first, second],
    [second, first],
  ] as const) {
    from.setTimeout(patience.idleMs, () => {
      from.destroy()
      to.destroy()
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      if (!from.readableEnded) to.destroy()
    })
    from.on('end', () => {
      for (const each of [from, to]) each.setTimeout(Math.min(patience.idleMs, patience.halfOpenMs))
    })
    from.pipe(to)
  }
}
