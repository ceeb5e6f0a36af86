import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import type { Json } from '../../core/text/json.ts'
import { type LocatedPath, locate } from './locate.ts'

const RECORDS = '.holdpoint'
/**
 * Directories with files that decide what runs, by the name of the directory: no rule about files may permit writing
 * there.
 */
const PROTECTED: readonly (readonly [name: string, why: string])[] = [
  [RECORDS, `writing below ${RECORDS}/ always needs a person`],
  ['.git', 'writing below .git/ always needs a person: git runs programs that its settings and hooks name'],
]

export interface PathUse {
  readonly path: Json
  readonly workdir: string
  /** The directory to which relative paths in rules refer. Default: `workdir`. */
  readonly rulesFrom?: string | undefined
  readonly writes: boolean
}

/** How policy reads a path argument. It never throws: what cannot be followed is unclear. */
export async function inspectPath({ path, workdir, rulesFrom = workdir, writes }: PathUse): Promise<CallFacts> {
  if (typeof path !== 'string') return unclear(JSON.stringify(path), 'path is not text', null)
  try {
    const place = await locate(workdir, path)
    const kept = writes ? await whyProtected(place, workdir) : null
    // Read from the directory of the rules, so a pattern means the same files wherever a sub-agent works.
    const seen = rulesFrom === workdir ? place : { ...(await locate(rulesFrom, place.absolute)), raw: path }
    return {
      readings: { path: reading(seen) },
      unclear: null,
      protected: kept,
      leads_to: place.real,
      touches: { real: place.shownReal, spelled: place.shown, writes },
    }
  } catch (thrown) {
    const kept = writes ? whyProtectedByName(path) : null
    return unclear(path, `the path cannot be followed: ${messageOf(thrown)}`, kept)
  }
}

function reading({ raw, absolute, real, shown, shownReal }: LocatedPath): CallFacts['readings'][string] {
  const among = new Set([raw, shown, absolute, shownReal, real])
  return { as: shown === shownReal ? shown : null, among: [...among] }
}

async function whyProtected({ absolute, real }: LocatedPath, workdir: string): Promise<string | null> {
  const byName = whyProtectedByName(absolute) ?? whyProtectedByName(real)
  if (byName !== null) return byName
  for (const [name, why] of PROTECTED) {
    const kept = await realpath(join(workdir, name)).catch(() => null)
    if (kept !== null && (real === kept || real.startsWith(kept + sep))) return why
  }
  return null
}

/** File systems differ in case, in Unicode forms and in characters that they ignore; none of it is a way around. */
function whyProtectedByName(path: string): string | null {
  const names = path
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split(/[\\/]/)
  return PROTECTED.find(([name]) => names.includes(name))?.[1] ?? null
}

function unclear(text: string, why: string, kept: string | null): CallFacts {
  return { readings: { path: { as: null, among: [text] } }, unclear: why, protected: kept }
}
