/** For tests: commits an effect, and kills its own process before one of its calls of the file system. */
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Intent } from '../../src/tools/box/effect/commit-effect.ts'
import type { CallPlace } from '../../src/tools/box/machine/call-place.ts'

const CHANGING = [
  'chmod',
  'copyFile',
  'link',
  'mkdir',
  'open',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'writeFile',
] as const

interface Given {
  readonly place: CallPlace
  readonly intent: Intent
  readonly at: number | null
}

let calls = 0

function killBefore(at: number): void {
  const all = promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  for (const name of CHANGING) {
    const real = all[name] as (...args: unknown[]) => Promise<unknown>
    all[name] = (...args) => {
      if (++calls === at) process.kill(process.pid, 'SIGKILL')
      return real(...args)
    }
  }
  syncBuiltinESMExports()
}

process.once('message', async ({ place, intent, at }: Given) => {
  killBefore(at ?? Number.POSITIVE_INFINITY)
  const { completeCommit, prepareCommit } = await import('../../src/tools/box/effect/commit-effect.ts')
  await prepareCommit(place, intent)
  await completeCommit(place, intent)
  process.send?.(calls)
  process.disconnect()
})
