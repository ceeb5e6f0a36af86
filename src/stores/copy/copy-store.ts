/**
 * A store moves whole to another one. Keeps: the source takes no write from the first row on, so what is copied is all of it;
 * the place of the newest row in the target is where a copy goes on that was cut off; the source is left for good only after
 * the target is on its disk, and each row that is there was compared; the target can be used only after the source is left.
 */
import { createHash } from 'node:crypto'
import type { AuditHead } from '../../core/audit/audit-chain.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import { sha256 } from '../sha256.ts'
import { COPIED_TABLES, type CopiedKey, type CopiedRow, type CopiedTable, keyOf, withoutHost } from './copied-tables.ts'
import type { CopiedStore, CopySource, CopyTarget } from './copy-ends.ts'
import { type CopyMark, refusesWrites } from './copy-mark.ts'
import { copyRefusals, cutOff, refuseLive } from './copy-refusals.ts'

/** Read and written at once: rows may be small, or of a megabyte. */
const PAGE_CHARACTERS = 4_000_000
const MOST_ROWS = 2_000
const FIRST_ROWS = 100

export interface CopyRequest {
  readonly by: string
  readonly surface: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** The id of a copy that begins. */
  readonly id: string
  /** True if the process of that lease is certainly gone. A clock cannot say so. */
  readonly isGone: (owner: string) => boolean
  /** Called often. */
  readonly onProgress?: (step: 'copying' | 'checking', rows: number, of: number) => void
}

/** A copy that came to its end, or what one would copy. */
export interface CopiedWhole {
  /** `null` if nothing was begun. */
  readonly copy_id: string | null
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  /** The hash of all journal rows, equal in both stores; `null` if nothing was compared now. */
  readonly journal_hash: string | null
  /** The newest record of the audit log, equal on both sides; `null` if there is none, or nothing was compared now. */
  readonly audit_head: AuditHead | null
}

interface Ends {
  readonly source: CopySource
  readonly target: CopyTarget
}

/** Looks, and changes nothing. @throws RefusedError what `copyStore` would refuse */
export async function planCopy(ends: Ends, request: CopyRequest): Promise<CopiedWhole> {
  const { isFrozen } = await markOf(ends, request)
  if (!isFrozen) refuseLive(await ends.source.live(), ends.source.display, request.isGone)
  return { copy_id: null, rows: await countRows(ends.source), journal_hash: null, audit_head: null }
}

/** Begins a copy, or continues one. @throws RefusedError; StoreError */
export async function copyStore(ends: Ends, request: CopyRequest): Promise<CopiedWhole> {
  const { source, target } = ends
  const { mark, isBegun, isFrozen, isDone } = await markOf(ends, request)
  const { copy_id } = mark
  if (isDone) return finishedBefore(source, copy_id)
  const begins = await target.begin({ ...mark, role: 'target', other: source.display })
  if (!begins && !isBegun) throw copyRefusals.notEmpty(target.display)
  if (!isFrozen) await freeze(ends, mark, request)
  try {
    return await copyFrozen(ends, copy_id, request)
  } catch (thrown) {
    throw cutOff(thrown, source.display)
  }
}

async function copyFrozen(ends: Ends, copy_id: string, request: CopyRequest): Promise<CopiedWhole> {
  const rows = await countRows(ends.source)
  await copyTables(ends, rows, request)
  await ends.target.seal(await ends.source.secret())
  const { journal_hash, audit_head } = await compare(ends, rows, request)
  await changeOver(ends, copy_id)
  return { copy_id, rows, journal_hash, audit_head }
}

/** A process that was killed may have finished the target, and not noted it in the source. */
async function finishedBefore(source: CopySource, copy_id: string): Promise<CopiedWhole> {
  await source.settle(copy_id)
  return { copy_id, rows: await countRows(source), journal_hash: null, audit_head: null }
}

async function changeOver({ source, target }: Ends, copyId: string): Promise<void> {
  if (!(await source.settle(copyId))) throw copyRefusals.givenUpMeanwhile(source.display)
  try {
    await target.finish()
  } catch (thrown) {
    if ((await target.mark())?.state !== 'done') await source.unsettle(copyId)
    throw thrown
  }
}

/** The source takes writes again, and what is in the target is of no use any more. @throws RefusedError `store_not_copying` */
export async function giveUpCopy(source: CopySource): Promise<void> {
  if (!(await source.thaw())) throw copyRefusals.nothingToGiveUp(source.display)
}

interface Standing {
  readonly mark: CopyMark
  /** True if the target has the mark. */
  readonly isBegun: boolean
  /** True if the source has it. */
  readonly isFrozen: boolean
  readonly isDone: boolean
}

/** The mark of the copy that is under way between the two, or a new one. */
async function markOf({ source, target }: Ends, request: CopyRequest): Promise<Standing> {
  const source_id = sha256(`copy of ${await source.secret()}`)
  const [noted, there] = [await source.mark(), await target.mark()]
  if (noted?.role === 'target' && noted.state === 'under_way')
    throw copyRefusals.unfinishedSource(noted, source.display)
  const begun = there?.role === 'target' && there.source_id === source_id ? there : null
  if (noted?.role === 'source') return standingOf({ source, target }, noted, begun)
  await requireRoom(target, begun)
  const { id, by, now } = request
  const mark: CopyMark = {
    ...{ copy_id: begun?.copy_id ?? id, role: 'source', other: target.display, source_id },
    ...{ state: 'under_way', at: isoTime(now), by },
  }
  return { mark, isBegun: begun !== null, isFrozen: false, isDone: false }
}

async function requireRoom(target: CopyTarget, begun: CopyMark | null): Promise<void> {
  if (begun?.state === 'done') throw copyRefusals.notEmpty(target.display)
  if (begun && !(await isFresh(target))) throw copyRefusals.outdatedCopy(target.display)
  if (!begun && !(await target.isEmpty())) throw copyRefusals.notEmpty(target.display)
}

async function standingOf({ source, target }: Ends, mark: CopyMark, begun: CopyMark | null): Promise<Standing> {
  const isSame = begun?.copy_id === mark.copy_id
  if (isSame) return { mark, isBegun: true, isFrozen: true, isDone: begun.state === 'done' }
  if (begun) throw copyRefusals.outdatedCopy(target.display)
  // The beginning of the copy may be gone: the source still has all of it.
  if (mark.state === 'done' || mark.other !== target.display) throw refusesWrites(mark, source.display)
  if (!(await target.isEmpty())) throw copyRefusals.notEmpty(target.display)
  return { mark, isBegun: false, isFrozen: true, isDone: false }
}

/** True if no row was copied yet. */
async function isFresh(target: CopyTarget): Promise<boolean> {
  for (const table of COPIED_TABLES) if ((await target.page(table, null, 1)).length > 0) return false
  return true
}

async function freeze({ source, target }: Ends, mark: CopyMark, { by, surface, isGone }: CopyRequest): Promise<void> {
  const data = { copy_id: mark.copy_id, to: target.display }
  await source.freeze({
    mark,
    entry: { kind: 'store.moved', actor: by, surface, data },
    refuse: live => refuseLive(live, source.display, isGone),
  })
}

async function countRows(source: CopySource): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of COPIED_TABLES) rows[table.name] = await source.count(table)
  return rows
}

async function copyTables({ source, target }: Ends, rows: Record<string, number>, request: CopyRequest): Promise<void> {
  const of = sumOf(rows)
  let copied = 0
  for (const table of COPIED_TABLES) {
    let after = await target.newest(table)
    for await (const page of pages(asFor(source, target), table, after)) {
      if (!(await target.put(table, after, page))) throw copyRefusals.copiedElsewhere(target.display)
      after = keyOf(table, page.at(-1) as CopiedRow)
      copied += page.length
      request.onProgress?.('copying', copied, of)
    }
  }
}

async function compare(
  { source, target }: Ends,
  rows: Record<string, number>,
  { onProgress }: CopyRequest,
): Promise<Pick<CopiedWhole, 'journal_hash' | 'audit_head'>> {
  const of = sumOf(rows) * 2
  let checked = 0
  const tell = (count: number) => {
    checked += count
    onProgress?.('checking', checked, of)
  }
  const hashes = new Map<string, string>()
  const places = { from: source.display, to: target.display }
  for (const table of COPIED_TABLES) {
    const hash = await hashOf(asFor(source, target), table, tell)
    if (hash !== (await hashOf(target, table, tell))) throw copyRefusals.differs(table.name, places)
    hashes.set(table.name, hash)
  }
  return { journal_hash: hashes.get('events') ?? null, audit_head: await headOf(target) }
}

/** The rows of the source as the target keeps them. */
function asFor(source: CopySource, { hasHosts }: CopyTarget): Pages {
  if (hasHosts) return source
  const page: Pages['page'] = async (table, after, limit) =>
    (await source.page(table, after, limit)).map(row => withoutHost(table, row))
  return { page }
}

type Pages = Pick<CopiedStore, 'page'>

async function hashOf(store: Pages, table: CopiedTable, tell: (rows: number) => void): Promise<string> {
  const hash = createHash('sha256')
  for await (const page of pages(store, table, null)) {
    for (const row of page) hash.update(`${JSON.stringify(row)}\n`)
    tell(page.length)
  }
  return hash.digest('hex')
}

async function headOf(store: CopyTarget): Promise<AuditHead | null> {
  const audit = COPIED_TABLES.find(({ name }) => name === 'audit') as CopiedTable
  const seq = (await store.newest(audit))?.[0]
  if (seq === undefined) return null
  const [row] = await store.page(audit, [Number(seq) - 1], 1)
  return { seq: Number(seq), hash: String(row?.at(-1)) }
}

async function* pages(store: Pages, table: CopiedTable, from: CopiedKey | null): AsyncGenerator<CopiedRow[]> {
  let size = FIRST_ROWS
  for (let after = from; ; ) {
    const page = await store.page(table, after, size)
    if (page.length > 0) yield page
    if (page.length < size) return
    after = keyOf(table, page.at(-1) as CopiedRow)
    const perRow = Math.max(1, page.flat().reduce<number>((sum, cell) => sum + String(cell).length, 0) / page.length)
    size = Math.max(1, Math.min(MOST_ROWS, Math.floor(PAGE_CHARACTERS / perRow)))
  }
}

function sumOf(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}
