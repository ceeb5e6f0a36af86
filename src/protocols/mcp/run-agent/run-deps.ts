import type { Asking, Running, Sdk, Seal } from '../offer/offer.ts'

/** The needs of agents as tools. */
export interface RunDeps {
  readonly sdk: Sdk
  readonly running: Running
  readonly asking: Asking
  readonly seal: Seal
}

/** A client that looks at a task again and again was shown its forms once. */
export function shownOnce(asking: Asking): Asking {
  const shown = new Set<string>()
  return {
    ...asking,
    onShow: async (hold, person) => {
      const showing = JSON.stringify([hold.id, person])
      if (shown.has(showing)) return
      if (shown.size >= MOST_SHOWN) shown.clear()
      shown.add(showing)
      await asking.onShow(hold, person)
    },
  }
}

const MOST_SHOWN = 10_000
