import { AUDIT_KINDS } from '../../../core/audit/audit.ts'
import type { Json } from '../../../core/text/json.ts'
import { escapedAsJson, visibleLine } from '../../../core/text/visible-text.ts'
import type { AuditListQuery } from '../../../ports/store/audit.ts'
import type { AuditedRecord } from '../../../runtime/threads/audit.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { withFullIds } from '../../command/full-id.ts'
import { screenFor } from '../../display/screen.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'
import { explainAudit } from './audit-explain.ts'
import { verifyAuditLog } from './audit-verify.ts'
import { recordLines } from './record-lines.ts'

type Verb = (context: CommandContext, words: readonly string[]) => Promise<number>

const VERBS: Readonly<Record<string, Verb>> = { verify: verifyAuditLog, explain: explainAudit }

export async function run(context: CommandContext): Promise<number> {
  const [verb = '', ...words] = context.given.words
  if (Object.hasOwn(VERBS, verb)) return (VERBS[verb] as Verb)(context, words)
  return listRecords(context)
}

/** With --json one line for each record, as soon as it is read: it can be verified as a file. */
async function listRecords(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'audit')
  if (given.has('head')) throw argumentRefusals.headAlone()
  const query = { ...queryIn(given), ...(!json && { told: true }) }
  await using app = await openForReading(context)
  const records = app.holdpoint.audit.list(await withFullIds(app.holdpoint, query))
  const count = await showRecords(records, context)
  if (count === 0 && !json) io.out('Nothing is on record.\n')
  return 0
}

async function showRecords(records: AsyncIterable<AuditedRecord>, context: CommandContext): Promise<number> {
  const { io, json } = context
  const screen = screenFor(context)
  let count = 0
  for await (const record of records) {
    count += 1
    // An export keeps the bytes that were hashed.
    if (json) io.out(`${io.isTerminal ? escapedAsJson(record.line) : record.line}\n`)
    else io.out(screen ? recordLines(record, screen) : `${visibleLine(asText(record))}\n`)
  }
  return count
}

function asText({ seq, record, told }: AuditedRecord): string {
  if (record === null) return `${seq}  unreadable: see \`holdpoint audit verify\``
  const { at, kind, run_id, hold_id, call_id, actor, surface, data } = record
  const who = actor === null ? null : `by ${actor}${surface === null ? '' : ` (${surface})`}`
  const parts = [seq, at, told?.text ?? null, kind, run_id, call_id, hold_id, who, ...saidIn(data)]
  return parts.filter(part => part !== null).join('  ')
}

const FILTERS: Readonly<Record<string, keyof AuditListQuery>> = {
  agent: 'agent',
  run: 'run_id',
  session: 'thread_id',
  hold: 'hold_id',
  actor: 'actor',
  kind: 'kind',
  since: 'since',
  until: 'until',
  limit: 'limit',
  after: 'after',
}

function queryIn(given: Given): AuditListQuery {
  const entries = Object.entries(FILTERS).flatMap(([flag, key]) => {
    const text = given.value(flag)
    return text === null ? [] : [[key, (READERS[flag] ?? asIs)(text, flag)] as const]
  })
  return { ...Object.fromEntries(entries), ...(given.has('decisions') && { decisions: true }) }
}

type Reader = (text: string, flag: string) => string | number

const asIs: Reader = text => text

const time: Reader = (text, flag) => {
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw argumentRefusals.unknownValue(flag, text, 'Write a time like 2030-01-31 or 2030-01-31T12:00:00Z.')
}

const wholeNumber: Reader = (text, flag) => {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw argumentRefusals.unknownValue(flag, text, 'Give a whole number.')
}

const kind: Reader = (text, flag) => {
  if ((AUDIT_KINDS as readonly string[]).includes(text)) return text
  throw argumentRefusals.unknownValue(flag, text, `Use one of ${AUDIT_KINDS.join(', ')}.`)
}

const READERS: Readonly<Record<string, Reader>> = {
  kind,
  since: time,
  until: time,
  limit: wholeNumber,
  after: wholeNumber,
}

/** `key=value` for each field of a record. */
function saidIn(data: Readonly<Record<string, Json>>): string[] {
  return Object.entries(data).flatMap(([key, value]) =>
    value === null ? [] : [`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
}
