/**
 * A portable checkpoint: one thread as text, for a runner that shares no store. JSON lines: a header, the content of
 * the thread (or one line of it encrypted), and a checksum over all before. A writer of the file can forge one that
 * fits in itself. Only a key, which encrypts the bundle, shows that.
 */

import type { Sha256 } from '../audit/audit-chain.ts'
import type { Amount } from '../count.ts'
import { RefusedError } from '../errors.ts'
import type { Grant } from '../hold/grant.ts'
import type { Hold } from '../hold/hold.ts'
import type { JournalEvent } from '../journal/event.ts'
import { bundleRefusals } from '../refusals/bundle-refusals.ts'
import type { HoldScope } from '../run/profile.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

export const BUNDLE_FORMAT = 'holdpoint-bundle'
export const BUNDLE_VERSION = 1
/** The generation of its events, as the directories of `test/journals/` count. */
export const JOURNAL_GENERATION = 3

/** How the content was encrypted. Salt and nonce are base64. */
export interface Encryption {
  readonly cipher: 'aes-256-gcm'
  readonly kdf: 'scrypt-32768-8-1'
  readonly salt: string
  readonly nonce: string
}

/** The first line of a bundle. It names the thread that moves. */
export interface BundleHeader {
  readonly format: typeof BUNDLE_FORMAT
  readonly version: Amount
  readonly bundle_id: string
  readonly thread_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  /** ISO time at which the thread moved away from its store. */
  readonly created_at: string
  /** The version of Holdpoint that wrote it. */
  readonly holdpoint: string
  readonly journal: Amount
  /** `null` if anyone can read it, and forge it. */
  readonly encryption: Encryption | null
}

/** The parts of a run's row that do not follow from its events. */
export interface BundledRun {
  readonly id: string
  readonly agent: string
  readonly hold_scope: HoldScope
  readonly parent_run_id: string | null
  readonly checkpoint_id: string | null
  /** ISO times. */
  readonly created_at: string
  readonly updated_at: string
}

/** The parts of a thread that are needed to go on with it elsewhere. Waiting holds are `open`. */
export interface BundledThread {
  /** ISO time. */
  readonly created_at: string
  readonly events: readonly JournalEvent[]
  /** Oldest first. */
  readonly runs: readonly BundledRun[]
  readonly holds: readonly Hold[]
  /** Standing approvals that count in this thread alone. */
  readonly grants: readonly Grant[]
}

/** A bundle whose text is whole; its content may still be encrypted. */
export interface ReadBundle {
  readonly header: BundleHeader
  /** The first line, byte by byte. */
  readonly head: string
  readonly content: string
}

/** Writes a bundle. `content` is the result of `contentText`, or one line of it encrypted. */
export function bundleText(header: BundleHeader, content: string, sha256: Sha256): string {
  const text = `${headText(header)}\n${content}\n`
  return `${text}${JSON.stringify({ sha256: sha256(text) })}\n`
}

/** The first line of a bundle, in the order in which it is written. */
export function headText(header: BundleHeader): string {
  const { format, version, bundle_id, thread_id, run_id, checkpoint_id, created_at, holdpoint, journal, encryption } =
    header
  // biome-ignore format: the order is part of what is encrypted along
  return JSON.stringify({ format, version, bundle_id, thread_id, run_id, checkpoint_id, created_at, holdpoint, journal, encryption })
}

const CHECKSUM_LINE = /^\{"sha256":"([0-9a-f]{64})"\}\n?$/

/** @throws RefusedError `not_a_bundle`, `bundle_damaged` or `bundle_newer`. */
export function readBundle(text: string, sha256: Sha256): ReadBundle {
  const head = text.slice(0, text.indexOf('\n') + 1).trimEnd()
  const header = headerIn(head)
  const end = text.trimEnd().lastIndexOf('\n') + 1
  const [, written] = CHECKSUM_LINE.exec(text.slice(end)) ?? []
  if (written === undefined) throw bundleRefusals.bundleDamaged('its end is missing')
  if (sha256(text.slice(0, end)) !== written) throw bundleRefusals.bundleDamaged('its checksum does not fit')
  const wrong = Object.entries(HEADER).find(([key, fits]) => !fits(header[key]))
  if (wrong) throw bundleRefusals.bundleDamaged(`its ${wrong[0]} is not what it must be`)
  return { header: header as Json as BundleHeader & JsonObject, head, content: text.slice(head.length + 1, end - 1) }
}

/** An unknown format is refused before anything in it is looked at. */
function headerIn(head: string): JsonObject {
  const header = jsonIn(head)
  if (!isJsonObject(header) || header['format'] !== BUNDLE_FORMAT) throw bundleRefusals.notABundle()
  const { version, journal, holdpoint } = header
  if (isNewer(version, BUNDLE_VERSION) || isNewer(journal, JOURNAL_GENERATION))
    throw new RefusedError('bundle_newer', `The bundle was written by a newer Holdpoint (${holdpoint}).`, {
      hint: 'Use the Holdpoint that wrote it, or a newer one. Nothing was imported.',
    })
  return header
}

function isNewer(value: Json | undefined, known: number): boolean {
  return typeof value === 'number' && value > known
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

type Fits = (value: Json | undefined) => boolean

const isText: Fits = value => typeof value === 'string' && value !== ''
const isTextOrNull: Fits = value => value === null || isText(value)
const isTime: Fits = value => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isCount: Fits = value => Number.isSafeInteger(value) && Number(value) > 0

const HEADER: { readonly [K in keyof BundleHeader]: Fits } = {
  format: isText,
  version: isCount,
  bundle_id: isText,
  thread_id: isText,
  run_id: isText,
  checkpoint_id: isText,
  created_at: isTime,
  holdpoint: isText,
  journal: isCount,
  encryption: value => value === null || (isJsonObject(value) && fitsAll(value, ENCRYPTION)),
}

const ENCRYPTION: { readonly [K in keyof Encryption]: Fits } = {
  cipher: value => value === 'aes-256-gcm',
  kdf: value => value === 'scrypt-32768-8-1',
  salt: isText,
  nonce: isText,
}

function fitsAll(value: JsonObject, shape: Readonly<Record<string, Fits>>): boolean {
  return Object.entries(shape).every(([key, fits]) => fits(value[key]))
}

/** A line for each event, run, hold and grant; events as they are stored. */
export function contentText({ created_at, events, runs, holds, grants }: BundledThread): string {
  const lines = [
    { thread: { created_at } },
    ...runs.map(run => ({ run })),
    ...events.map(({ seq, at, run_id, kind, data }) => ({ event: { seq, at, run_id, kind, data } })),
    ...holds.map(hold => ({ hold })),
    ...grants.map(grant => ({ grant })),
  ]
  return lines.map(line => JSON.stringify(line)).join('\n')
}

type LineKind = 'thread' | 'run' | 'event' | 'hold' | 'grant'

/** The fields that a line of each kind needs. */
const LINES: Readonly<Record<LineKind, Readonly<Record<string, Fits>>>> = {
  thread: { created_at: isTime },
  run: {
    id: isText,
    agent: isText,
    hold_scope: value => value === 'batch' || value === 'call',
    parent_run_id: isTextOrNull,
    checkpoint_id: isTextOrNull,
    created_at: isTime,
    updated_at: isTime,
  },
  event: { seq: isCount, at: isTime, run_id: isText, kind: isText, data: isJsonObject },
  hold: {
    id: isText,
    kind: isText,
    status: isText,
    run_id: isText,
    agent: isText,
    call_id: isTextOrNull,
    opened_at: isTime,
    requesters: Array.isArray,
    votes: Array.isArray,
  },
  grant: {
    id: isText,
    name: isText,
    scope: isText,
    agent: isText,
    tool: isText,
    granted_at: isTime,
    uses: Number.isSafeInteger,
  },
}

/** @throws RefusedError `bundle_damaged` if a line does not belong to a bundle. */
export function readContent(threadId: string, content: string): BundledThread {
  const rows: Record<LineKind, JsonObject[]> = { thread: [], run: [], event: [], hold: [], grant: [] }
  content.split('\n').forEach((line, index) => {
    const [entry, ...more] = Object.entries(jsonIn(line) ?? {})
    const [kind, value] = entry ?? []
    const shape = kind !== undefined && Object.hasOwn(LINES, kind) ? LINES[kind as LineKind] : null
    if (!shape || more.length > 0 || !isJsonObject(value) || !fitsAll(value, shape))
      throw bundleRefusals.bundleDamaged(`line ${index + 2} is none of a bundle`)
    rows[kind as LineKind].push(value)
  })
  const [thread, ...others] = rows.thread
  if (!thread || others.length > 0) throw bundleRefusals.bundleDamaged('it must be of one thread')
  return {
    created_at: String(thread['created_at']),
    events: rows.event.map(event => ({ ...event, thread_id: threadId })) as unknown as JournalEvent[],
    runs: rows.run as unknown as BundledRun[],
    holds: rows.hold.map(hold => ({ ...hold, thread_id: threadId })) as unknown as Hold[],
    grants: rows.grant as unknown as Grant[],
  }
}
