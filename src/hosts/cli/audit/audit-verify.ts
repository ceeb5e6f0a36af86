import { hash } from 'node:crypto'
import { createReadStream, ReadStream, statSync } from 'node:fs'
import {
  type AuditFault,
  type AuditHead,
  type AuditVerification,
  ChainReader,
  FaultList,
} from '../../../core/audit/audit-chain.ts'
import { readExportLine } from '../../../core/audit/export-line.ts'
import { SealReader } from '../../../core/audit/record-seal.ts'
import { messageOf } from '../../../core/errors.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { columnsOf, hung } from '../../display/hung.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { sealKeyIn } from '../../listening/seal-key-in.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

/** Verifies the store against its journals, or an exported file offline. */
export async function verifyAuditLog(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  const noted = given.values('head').map(readHead)
  const file = words.length === 0 ? null : onlyWord(words, 'audit verify [FILE]')
  const verification = file === null ? await verifyStore(context, noted) : await verifyFile(context, file, noted)
  io.out(json ? jsonLine(asDocument(verification)) : hung(asText(verification, file), columnsOf(io)))
  return verification.fault_count === 0 ? 0 : 1
}

async function verifyStore(context: CommandContext, noted: readonly AuditHead[]): Promise<AuditVerification> {
  // The word of a server about its own log proves nothing.
  if (context.server) throw serverRefusals.verifiedElsewhere()
  await using app = await openForReading(context)
  using meter = new ProgressMeter(context, { label: 'Checking', unit: 'rows' })
  return await app.holdpoint.audit.verify(noted, (rows, of) => meter.tell(rows, of))
}

const TOLD_EVERY = 500

function tellReached(meter: ProgressMeter, records: number, input: AsyncIterable<string>): void {
  if (records % TOLD_EVERY !== 0) return
  const isFile = input instanceof ReadStream && typeof input.path === 'string'
  meter.tell(records, isFile ? (records * statSync(input.path).size) / input.bytesRead : null)
}

/** A file is compared with nothing. */
const NOT_IN_EXPORT = ['the store: journals, holds, grants, access tokens, sessions and notices']

/** Line by line, however long it is. */
async function verifyFile(
  context: CommandContext,
  path: string,
  noted: readonly AuditHead[],
): Promise<AuditVerification> {
  using meter = new ProgressMeter(context, { label: 'Checking', unit: 'records' })
  const faults = new FaultList()
  const chain = new ChainReader(text => hash('sha256', text, 'hex'), faults, noted)
  const seals = new SealReader(sealKeyIn(context.env), faults)
  const input = path === '-' ? process.stdin.setEncoding('utf8') : createReadStream(path, 'utf8')
  try {
    let expected = 1
    for await (const line of linesOf(input)) {
      if (line === '') continue
      const row = readExportLine(line, expected)
      const record = chain.take(row)
      if (record) seals.take(row, record)
      expected = row.seq + 1
      tellReached(meter, row.seq, input)
    }
  } catch (cause) {
    throw argumentRefusals.unreadableExport(path, messageOf(cause), cause)
  }
  return { ...chain.end(), ...faults.found, not_checked: [...seals.notChecked(), ...NOT_IN_EXPORT] }
}

/** Line feeds alone end a line: a record may contain other line breaks. */
async function* linesOf(input: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  yield rest
}

/** The result of a check of the log. */
export interface VerificationDocument extends Omit<AuditVerification, 'head'> {
  readonly ok: boolean
  /** `SEQ:HASH` of the newest record: noted elsewhere, it shows later that nothing up to it is gone. */
  readonly head: string
}

function asDocument({ head, ...rest }: AuditVerification): VerificationDocument {
  return { ok: rest.fault_count === 0, ...rest, head: headText(head) }
}

function asText({ faults, fault_count, count, head, not_checked }: AuditVerification, file: string | null): string {
  const of = file === null ? 'the store' : file
  const verdict = fault_count === 0 ? 'nothing is wrong' : `${fault_count} ${fault_count === 1 ? 'fault' : 'faults'}`
  const more = fault_count > faults.length ? [`… and ${fault_count - faults.length} more`] : []
  const lines = [
    `${count} ${count === 1 ? 'record' : 'records'} of ${of}: ${verdict}.`,
    ...faults.map(fault => `  ${fault.code}: ${fault.message}`),
    ...more,
    `Not checked: ${not_checked.join('; ')}.`,
    `Head: ${headText(head)}`,
    ...(fault_count === 0 ? [NOTE] : file !== null && isPart(faults) ? [PART] : []),
  ]
  return `${lines.map(visibleLine).join('\n')}\n`
}

const NOTE =
  'Note the head elsewhere: `holdpoint audit verify --head SEQ:HASH` tells later whether all up to it is there.'
const PART = 'An export with filters, or of a part, has gaps: make one of all with `holdpoint audit --json > FILE`.'

function isPart(faults: readonly AuditFault[]): boolean {
  return faults.every(({ code }) => code === 'missing')
}

function headText({ seq, hash: hashOf }: AuditHead): string {
  return `${seq}:${hashOf}`
}

function readHead(text: string): AuditHead {
  const [, seq, noted] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq !== undefined && noted !== undefined) return { seq: Number(seq), hash: noted }
  throw argumentRefusals.invalidHead(text)
}
