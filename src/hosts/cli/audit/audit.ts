import { AUDIT_KINDS } from '../../../core/audit/audit.ts'
import { RefusedError } from '../../../core/errors.ts'
import { escapedAsJson, visibleLine } from '../../../core/text/visible-text.ts'
import type { AuditQuery } from '../../../ports/store/audit.ts'
import type { AuditedRecord } from '../../../runtime/threads/audit.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { withFullIds } from '../../command/full-id.ts'
import { screenFor } from '../../display/screen.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'
import { explainAudit } from './audit-explain.ts'
import { saidIn, showScreens } from './audit-screen.ts'
import { verifyAuditLog } from './audit-verify.ts'

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
  refuseHead(given)
  const query = queryIn(given)
  await using app = await openForReading(context)
  const records = app.holdpoint.audit.list(await withFullIds(app.holdpoint, query))
  const screen = json ? null : screenFor(context)
  const count = screen ? await showScreens(records, screen, io) : await showLines(records, context)
  if (count === 0 && !json) io.out('Nothing is on record.\n')
  return 0
}

async function showLines(records: AsyncIterable<AuditedRecord>, { io, json }: CommandContext): Promise<number> {
  let count = 0
  for await (const record of records) {
    count += 1
    // An export keeps the bytes that were hashed.
    const line = io.isTerminal ? escapedAsJson(record.line) : record.line
    io.out(json ? `${line}\n` : `${visibleLine(asText(record))}\n`)
  }
  return count
}

function asText({ seq, record }: AuditedRecord): string {
  if (record === null) return `${seq}  unreadable: see \`holdpoint audit verify\``
  const { at, kind, run_id, hold_id, call_id, actor, surface, data } = record
  const who = actor === null ? null : `by ${actor}${surface === null ? '' : ` (${surface})`}`
  return [seq, at, kind, run_id, call_id, hold_id, who, ...saidIn(data)].filter(part => part !== null).join('  ')
}

const FILTERS: Readonly<Record<string, keyof AuditQuery>> = {
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

function queryIn(given: Given): AuditQuery {
  const entries = Object.entries(FILTERS).flatMap(([flag, key]) => {
    const text = given.value(flag)
    return text === null ? [] : [[key, (READERS[flag] ?? asIs)(text, flag)] as const]
  })
  return Object.fromEntries(entries)
}

type Reader = (text: string, flag: string) => string | number

const asIs: Reader = text => text

const time: Reader = (text, flag) => {
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw invalid(flag, text, 'Write a time like 2030-01-31 or 2030-01-31T12:00:00Z.')
}

const wholeNumber: Reader = (text, flag) => {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalid(flag, text, 'Give a whole number.')
}

const kind: Reader = (text, flag) => {
  if ((AUDIT_KINDS as readonly string[]).includes(text)) return text
  throw invalid(flag, text, `Use one of ${AUDIT_KINDS.join(', ')}.`)
}

const READERS: Readonly<Record<string, Reader>> = {
  kind,
  since: time,
  until: time,
  limit: wholeNumber,
  after: wholeNumber,
}

function refuseHead(given: Given): void {
  if (!given.has('head')) return
  throw new RefusedError('invalid_arguments', '--head goes with `holdpoint audit verify`.', {
    hint: 'Write `holdpoint audit verify --head SEQ:HASH`.',
  })
}

function invalid(flag: string, text: string, hint: string): RefusedError {
  return new RefusedError('invalid_arguments', `--${flag} ${JSON.stringify(text)} is not known.`, { hint })
}
