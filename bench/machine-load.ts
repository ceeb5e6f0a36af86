import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 500
/** From this share on, times say more of the other processes than of Holdpoint. */
const BUSY = 0.1

/** What a title says if other processes work while nothing is measured; else empty. */
export async function loadMark(): Promise<string> {
  const shareNow = busyShare()
  await delay(LOOK_MS)
  const share = shareNow()
  return share < BUSY ? '' : ` — under load: other processes take ${Math.round(share * 100)}% of this machine`
}

/** From now until the result is called: the share of the machine that worked. */
export function busyShare(): () => number {
  const before = worked()
  return () => {
    const after = worked()
    return (after.busy - before.busy) / (after.all - before.all)
  }
}

function worked(): { readonly busy: number; readonly all: number } {
  const times = cpus().map(cpu => cpu.times)
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all }
}
