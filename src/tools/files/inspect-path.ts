import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import type { Json } from '../../core/text/json.ts'
import { type LocatedPath, locate } from './locate.ts'

const RECORDS = '.holdpoint'
const PROTECTED = `writing below ${RECORDS}/ always needs a person`

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
    const kept = writes && (await isRecord(place, workdir))
    // Read from the directory of the rules, so a pattern means the same files wherever a sub-agent works.
    const seen = rulesFrom === workdir ? place : { ...(await locate(rulesFrom, place.absolute)), raw: path }
    return {
      readings: { path: reading(seen) },
      unclear: null,
      protected: kept ? PROTECTED : null,
      leads_to: place.real,
    }
  } catch (thrown) {
    const kept = writes && namesRecords(path)
    return unclear(path, `the path cannot be followed: ${messageOf(thrown)}`, kept ? PROTECTED : null)
  }
}

function reading({ raw, absolute, real, shown, shownReal }: LocatedPath): CallFacts['readings'][string] {
  const among = new Set([raw, shown, absolute, shownReal, real])
  return { as: shown === shownReal ? shown : null, among: [...among] }
}

async function isRecord({ absolute, real }: LocatedPath, workdir: string): Promise<boolean> {
  if (namesRecords(absolute) || namesRecords(real)) return true
  const records = await realpath(join(workdir, RECORDS)).catch(() => null)
  return records !== null && (real === records || real.startsWith(records + sep))
}

/** File systems differ in case, in Unicode forms and in characters that they ignore; none of it is a way around. */
function namesRecords(path: string): boolean {
  return path
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split(/[\\/]/)
    .includes(RECORDS)
}

function unclear(text: string, why: string, kept: string | null): CallFacts {
  return { readings: { path: { as: null, among: [text] } }, unclear: why, protected: kept }
}
