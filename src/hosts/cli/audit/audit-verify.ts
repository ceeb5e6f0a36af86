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
import { messageOf, RefusedError } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { columnsOf, hung } from '../../display/hung.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

/** Of the store, against its journals; of a file that was exported, offline. */
export async function verifyAuditLog(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  const noted = given.values('head').map(readHead)
  const file = words.length === 0 ? null : onlyWord(words, 'audit verify [FILE]')
  const verification = file === null ? await verifyStore(context, noted) : await verifyFile(context, file, noted)
  io.out(json ? jsonLine(asDocument(verification)) : hung(asText(verification, file), columnsOf(io)))
  return verification.fault_count === 0 ? 0 : 1
}

async function verifyStore(context: CommandContext, noted: readonly AuditHead[]): Promise<AuditVerification> {
  if (context.server) throw verifiedElsewhere()
  await using app = await openForReading(context)
  using meter = new ProgressMeter(context, { label: 'Checking', unit: 'rows' })
  return await app.holdpoint.audit.verify(noted, (rows, of) => meter.tell(rows, of))
}

/** The word of a server about its own log proves nothing. */
function verifiedElsewhere(): RefusedError {
  return new RefusedError('not_over_server', 'A log is checked where its store is, or as a file. Nothing was done.', {
    hint: 'Export it with `holdpoint audit --json > FILE`, and check that: `holdpoint audit verify FILE`.',
  })
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
  const input = path === '-' ? process.stdin.setEncoding('utf8') : createReadStream(path, 'utf8')
  try {
    let expected = 1
    for await (const line of linesOf(input)) {
      if (line === '') continue
      const row = readExportLine(line, expected)
      chain.take(row)
      expected = row.seq + 1
      tellReached(meter, row.seq, input)
    }
  } catch (cause) {
    throw new RefusedError('unreadable_file', `The export ${path} cannot be read: ${messageOf(cause)}.`, {
      hint: 'Make one with `holdpoint audit --json > FILE`.',
      cause,
    })
  }
  return { ...chain.end(), ...faults.found, not_checked: NOT_IN_EXPORT }
}

/** Line feeds alone end a line: what else counts as a line break elsewhere may stand in a record. */
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
  const found = fault_count === 0 ? 'nothing is wrong' : `${fault_count} ${fault_count === 1 ? 'fault' : 'faults'}`
  const more = fault_count > faults.length ? [`… and ${fault_count - faults.length} more`] : []
  const lines = [
    `${count} ${count === 1 ? 'record' : 'records'} of ${of}: ${found}.`,
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
  throw new RefusedError('invalid_arguments', `--head ${JSON.stringify(text)} is no head of an audit log.`, {
    hint: 'Write SEQ:HASH, as `holdpoint audit verify` prints it.',
  })
}
