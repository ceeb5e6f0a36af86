import { type CopiedWhole, type CopyRequest, copyStore, giveUpCopy, planCopy } from '../../stores/copy/copy-store.ts'
import { openCopySource, openCopyTarget } from '../../stores/copy/open-copy.ts'
import { sealKeyIn } from '../listening/seal-key-in.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'

export type StoreCopy = CopiedWhole

/** The URLs of two stores, and the directory of relative paths. */
export interface CopyEnds {
  readonly from: string
  readonly to: string
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export type Copying = Pick<CopyRequest, 'by' | 'surface' | 'onProgress'> & { readonly dryRun: boolean }

/** Moves a store whole; with `dryRun` it only looks. @throws RefusedError; StoreError */
export async function copyWholeStore({ from, to, directory, env }: CopyEnds, asked: Copying): Promise<StoreCopy> {
  const { dryRun, ...rest } = asked
  const deps = { clock: systemClock, directory, sealKey: sealKeyIn(env) }
  const purpose = dryRun ? 'look' : 'copy'
  await using source = await openCopySource(from, deps, purpose)
  await using target = await openCopyTarget(to, deps, purpose)
  const { isGone } = processLiveness()
  const request = { ...rest, isGone, now: systemClock.now(), id: systemIds.next('copy') }
  return await (dryRun ? planCopy({ source, target }, request) : copyStore({ source, target }, request))
}

/** Ends a copy that was cut off: the source takes writes again. @throws RefusedError; StoreError */
export async function giveUpWholeCopy(from: string, directory: string): Promise<void> {
  await using source = await openCopySource(from, { clock: systemClock, directory })
  await giveUpCopy(source)
}
