/** What no plain run needs is loaded when it is used. */
import { onDemand } from '../async/on-demand.ts'
import type { Bundles } from './face/bundles.ts'
import type { Holdpoint } from './face/holdpoint.ts'
import type { WatchfulRuntime } from './lease/lease-watch.ts'

export async function seldomVerbs(): Promise<typeof import('./seldom-verbs.ts')['SELDOM_VERBS']> {
  return (await import('./seldom-verbs.ts')).SELDOM_VERBS
}

export function partsOnDemand(runtime: WatchfulRuntime): Pick<Holdpoint, 'bundles' | 'tokens'> {
  const moves = onDemand(async () => new (await seldomVerbs()).RuntimeBundles(runtime))
  const bundles: Bundles = {
    export: (...given) => moves.export(...given),
    import: (...given) => moves.import(...given),
    // Each resume asks for it.
    exported: async threadId => runtime.store.bundles.exported(threadId),
  }
  return { bundles, tokens: onDemand(async () => new (await seldomVerbs()).RuntimeTokens(runtime)) }
}
