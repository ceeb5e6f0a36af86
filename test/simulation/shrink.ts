import { Choices } from './choices.ts'
import { type Lived, simulate } from './simulate.ts'

/** The shortest life found that breaks the same rule: choices are left out or made the dullest, ever fewer at once. */
export async function shrink(failed: Lived, deadline: number): Promise<Lived> {
  let best = failed
  for (let before = Number.POSITIVE_INFINITY; weightOf(best) < before && Date.now() < deadline; ) {
    before = weightOf(best)
    for (let size = best.choices.length >> 1; size >= 1; size >>= 1) best = await pass(best, size, deadline)
  }
  return best
}

/** Once over all choices, so many at once. */
async function pass(failed: Lived, size: number, deadline: number): Promise<Lived> {
  let best = failed
  for (let from = 0; from < best.choices.length && Date.now() < deadline; ) {
    const shorter = await simplest(best, simpler(best.choices, from, size))
    // What was left out made room for the next ones.
    if (shorter === null || shorter.choices.length >= best.choices.length) from += size
    best = shorter ?? best
  }
  return best
}

function simpler(choices: readonly number[], from: number, size: number): number[][] {
  const without = choices.toSpliced(from, size)
  const duller = [...choices].fill(0, from, from + size)
  return choices.slice(from, from + size).some(choice => choice > 0) ? [without, duller] : [without]
}

async function simplest(best: Lived, candidates: readonly number[][]): Promise<Lived | null> {
  for (const candidate of candidates) {
    const lived = await simulate(Choices.again(candidate), best.kind)
    if (lived.failure?.rule === best.failure?.rule && weightOf(lived) < weightOf(best)) return lived
  }
  return null
}

/** A short trace first of all: it is what somebody has to read. */
function weightOf({ trace, choices }: Lived): number {
  return trace.length * 1_000 + choices.filter(choice => choice > 0).length + choices.length / 10_000
}
