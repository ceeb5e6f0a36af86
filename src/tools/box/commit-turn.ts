/** One commit at a time in a directory, over all processes of the machine. */
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { digestOfText } from './read-effect.ts'

const LOOK_MS = 20

/** Waits for its turn; call the result when the commit is over. */
export async function commitTurn(boxes: string, workdir: string, signal: AbortSignal): Promise<() => Promise<void>> {
  const lock = join(boxes, `commit-${digestOfText(workdir).slice(7, 23)}.lock`)
  while (!(await taken(lock))) {
    if (!(await ownerLives(lock))) await rm(lock, { force: true })
    else await delay(LOOK_MS, undefined, { signal })
  }
  return () => rm(lock, { force: true })
}

async function taken(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx')
    await file.writeFile(ownName())
    await file.close()
    return true
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw thrown
  }
}

function ownName(): string {
  return `${process.pid}`
}

async function ownerLives(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
  // It was made, and its owner not written yet: or it is gone.
  if (!Number.isInteger(pid) || pid <= 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}
