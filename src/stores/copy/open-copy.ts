import { resolve } from 'node:path'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { StoreDeps } from '../open-store.ts'
import { storeRefusals } from '../store-refusals.ts'
import type { CopySource, CopyTarget, Purpose } from './copy-ends.ts'

interface Opener {
  readonly source: (site: Site) => Promise<CopySource>
  readonly target: (site: Site) => Promise<CopyTarget>
}

interface Site extends Pick<StoreDeps, 'clock' | 'sealKey'> {
  readonly url: string
  /** Absolute. */
  readonly file: string
  readonly purpose: Purpose
}

const sqlite: Opener = {
  source: async site => (await import('../sqlite/copy/sqlite-copy-source.ts')).openSource(site),
  target: async ({ file }) => (await import('../sqlite/copy/sqlite-copy-target.ts')).openTarget(file),
}
const postgres: Opener = {
  source: async ({ url, purpose, sealKey = null }) =>
    (await import('../postgres/copy/postgres-copy-source.ts')).openSource(url, { purpose, sealKey }),
  target: async ({ url, purpose }) =>
    (await import('../postgres/copy/postgres-copy-target.ts')).openTarget(url, purpose),
}
const OPENERS: Readonly<Record<string, Opener>> = { sqlite, postgres, postgresql: postgres }

/** The store that is to move. @throws RefusedError `unknown_store`; StoreError */
export async function openCopySource(url: string, deps: StoreDeps, purpose: Purpose = 'copy'): Promise<CopySource> {
  const [opener, site] = openerOf(url, { ...deps, purpose })
  return opener.source(site)
}

/** The store that it moves to. Nothing is made before the copy begins. @throws RefusedError `unknown_store`; StoreError */
export async function openCopyTarget(url: string, deps: StoreDeps, purpose: Purpose = 'copy'): Promise<CopyTarget> {
  const [opener, site] = openerOf(url, { ...deps, purpose })
  return opener.target(site)
}

function openerOf(
  url: string,
  { clock, directory, purpose, sealKey = null }: StoreDeps & { readonly purpose: Purpose },
): readonly [Opener, Site] {
  const { scheme, file, display } = new StoreLocation(url)
  const opener = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined
  if (!opener || (scheme === 'sqlite' && file === null)) throw storeRefusals.notCopied(display)
  return [opener, { url, file: resolve(directory, file ?? ''), clock, purpose, sealKey }]
}
