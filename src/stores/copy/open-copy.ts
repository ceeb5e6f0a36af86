import { resolve } from 'node:path'
import { RefusedError } from '../../core/errors.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { StoreDeps } from '../open-store.ts'
import type { CopySource, CopyTarget } from './copy-ends.ts'

interface Opener {
  readonly source: (site: Site) => Promise<CopySource>
  readonly target: (site: Site) => Promise<CopyTarget>
}

/** A store of an older version is made newer only if it is copied. */
export type Purpose = 'copy' | 'look'

interface Site extends Pick<StoreDeps, 'clock'> {
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
  source: async ({ url, purpose }) =>
    (await import('../postgres/copy/postgres-copy-source.ts')).openSource(url, purpose),
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
  { clock, directory, purpose }: StoreDeps & { readonly purpose: Purpose },
): readonly [Opener, Site] {
  const { scheme, file, display } = new StoreLocation(url)
  const opener = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined
  if (!opener || (scheme === 'sqlite' && file === null))
    throw new RefusedError('unknown_store', `${JSON.stringify(display)} names no store that can be copied.`, {
      hint: 'Use sqlite:PATH or postgres://USER@HOST/DATABASE.',
    })
  return [opener, { url, file: resolve(directory, file ?? ''), clock, purpose }]
}
