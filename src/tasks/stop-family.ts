import type { Family, ProcessFamilies } from '../ports/process/process-families.ts'

const MOST_KILLS = 10
const BETWEEN_KILLS_MS = 50

/** SIGTERM, and SIGKILL for what is still there after `graceMs`; without a grace SIGKILL alone. False: something stayed. */
export async function stopFamily(families: ProcessFamilies, family: Family, graceMs: number): Promise<boolean> {
  if (graceMs > 0) {
    families.signal(family, 'SIGTERM')
    if (await families.isGone(family, graceMs)) return true
  }
  // More than once, for what was forked while the signal was on its way.
  for (let kill = 0; kill < MOST_KILLS; kill++) {
    if (await families.isGone(family, kill === 0 ? 0 : BETWEEN_KILLS_MS)) return true
    families.signal(family, 'SIGKILL')
  }
  return families.isGone(family, BETWEEN_KILLS_MS)
}
