/** `holdpoint notices`: who was told of what, and what could not be told. */
import { RefusedError } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { StoredNotice } from '../../../ports/store/people/notices.ts'
import type { CommandContext } from '../../command/command.ts'
import { ago } from '../../display/ago.ts'
import { screenFor } from '../../display/screen.ts'
import { type Column, plainTable, screenTable } from '../../display/table.ts'
import { onlyWord, openForReading, refuseWords } from '../open-for-reading.ts'
import { sendDue } from './send-due.ts'
import { testChannel } from './test-channel.ts'

/** A notice under the key that all documents share. */
export interface NoticeDocument extends StoredNotice {
  /** The same as `id`. */
  readonly notice_id: string
}

type Verb = (context: CommandContext, words: readonly string[]) => Promise<number>

const VERBS: Readonly<Record<string, Verb>> = { list, retry, send: sendDue, test: testChannel }

/** The newest that are listed. */
const MOST = 100

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const [name = 'list', ...words] = given.words
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!verb)
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint notices [list] | retry NOTICE | send | test CHANNEL')
  if (given.has('failed') && verb !== list)
    throw new RefusedError('invalid_arguments', `--failed does not go with \`holdpoint notices ${name}\`.`)
  return verb(context, words)
}

async function list(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'notices list')
  await using app = await openForReading(context)
  const notices = await app.store.notices.list({ limit: MOST, ...(given.has('failed') && { status: 'failed' }) })
  io.out(json ? jsonLine(notices.map(noticeDocument)) : asText(context, notices))
  return 0
}

async function retry(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json } = context
  const id = onlyWord(words, 'notices retry NOTICE')
  await using app = await openForReading(context)
  const before = await app.store.notices.notice(id)
  if (before === null)
    throw new RefusedError('unknown_notice', `There is no notice ${JSON.stringify(id)} in this store.`, {
      hint: '`holdpoint notices` shows the ids.',
    })
  if (before.status !== 'failed')
    throw new RefusedError('notice_not_failed', `${id} is ${before.status}, so there is nothing to try again.`, {
      hint: '`holdpoint notices --failed` shows those that were given up.',
    })
  const notice = await app.store.notices.retry(id)
  if (json) io.out(jsonLine(notice && noticeDocument(notice)))
  else io.out(`${id}: due again; \`holdpoint work\` or \`holdpoint serve\` sends it, or \`holdpoint notices send\`.\n`)
  return 0
}

function noticeDocument(notice: StoredNotice): NoticeDocument {
  return { notice_id: notice.id, ...notice }
}

const COLUMNS: readonly Column[] = [
  { head: 'NOTICE' },
  { head: 'EVENT' },
  { head: 'HOLD', spare: true },
  { head: 'TO', least: 8 },
  { head: 'STATE', least: 8 },
  { head: 'AT', spare: true },
  { head: 'ERROR', least: 8 },
]

function asText(context: CommandContext, notices: readonly StoredNotice[]): string {
  if (notices.length === 0) return 'No notices.\n'
  const screen = screenFor(context)
  const rows = notices.map(notice => cellsOf(notice, screen?.now ?? null).map(visibleLine))
  if (screen)
    return screenTable(
      COLUMNS,
      rows.map(cells => ({ cells })),
      screen,
    )
  return plainTable(
    COLUMNS.map(({ head }) => head),
    rows,
  )
}

/** `now` is `null` for programs: they get times as they are. */
function cellsOf(notice: StoredNotice, now: number | null): string[] {
  const { id, event, hold_id, person, channel, address, at } = notice
  const when = now === null ? at : ago(at, now)
  return [id, event, hold_id, `${channel} ${person ?? address}`, stateOf(notice), when, notice.error ?? '']
}

function stateOf({ status, tries, next_at }: StoredNotice): string {
  if (status !== 'due') return status
  return tries > 0 ? `due again ${next_at}` : status
}
