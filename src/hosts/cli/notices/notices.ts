/** `holdpoint notices`: who was told of what, and what could not be told. */
import { messageOf } from '../../../core/errors.ts'
import type { Notice } from '../../../core/notice/notice.ts'
import { WAITS_FOR_MODEL } from '../../../core/notice/notice-event.ts'
import { TEST_TEXT } from '../../../core/notice/notice-text.ts'
import type { NoticeDirectory } from '../../../core/notice/recipients.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { Notifier } from '../../../ports/notifier.ts'
import type { StoredNotice } from '../../../ports/store/people/notices.ts'
import type { CommandContext } from '../../command/command.ts'
import { type OpenedNotices, openNotices, readChannels } from '../../compose/notices/notifiers.ts'
import { ago } from '../../display/ago.ts'
import { type List, listText } from '../../display/list.ts'
import { actor } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { systemIds } from '../../process/system-ids.ts'
import { readConfig } from '../../project/project.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'
import { openNotifying } from '../../worker/notify-beside.ts'
import { onlyWord, openForReading, refuseWords } from '../open-for-reading.ts'

/** A notice under the key that all documents share. */
export interface NoticeDocument extends Omit<StoredNotice, 'hold_id'> {
  /** The same as `id`. */
  readonly notice_id: string
  /** `null` if it is about no hold, but about a run. */
  readonly hold_id: string | null
  readonly run_id: string | null
}

type Verb = (context: CommandContext, words: readonly string[]) => Promise<number>

const VERBS: Readonly<Record<string, Verb>> = { list, retry, send: sendDue, test: testChannel }

/** The newest that are listed. */
const MOST = 100

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const [name = 'list', ...words] = given.words
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!verb) throw argumentRefusals.usage('notices [list] | retry NOTICE | send | test CHANNEL')
  if (given.has('failed') && verb !== list) throw argumentRefusals.strayFlag('failed', `notices ${name}`)
  return verb(context, words)
}

async function list(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'notices list')
  await using app = await openForReading(context)
  const notices = await app.store.notices.list({ limit: MOST, ...(given.has('failed') && { status: 'failed' }) })
  io.out(json ? jsonLine(notices.map(noticeDocument)) : listText(context, notices, NOTICES))
  return 0
}

async function retry(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json } = context
  const id = onlyWord(words, 'notices retry NOTICE')
  await using app = await openForReading(context)
  const before = await app.store.notices.notice(id)
  if (before === null) throw projectRefusals.unknownNotice(id)
  if (before.status !== 'failed') throw projectRefusals.noticeNotFailed(id, before.status)
  const notice = await app.store.notices.retry(id)
  if (json) io.out(jsonLine(notice && noticeDocument(notice)))
  else io.out(`${id}: due again; \`holdpoint work\` or \`holdpoint serve\` sends it, or \`holdpoint notices send\`.\n`)
  return 0
}

function noticeDocument(notice: StoredNotice): NoticeDocument {
  return { notice_id: notice.id, ...notice, ...aboutOf(notice) }
}

function aboutOf({ event, hold_id: id }: StoredNotice): Pick<NoticeDocument, 'hold_id' | 'run_id'> {
  return event === WAITS_FOR_MODEL ? { hold_id: null, run_id: id } : { hold_id: id, run_id: null }
}

const NOTICES: List<StoredNotice> = {
  empty: 'No notices.\n',
  plain: {
    NOTICE: notice => notice.id,
    EVENT: notice => notice.event,
    HOLD: notice => aboutOf(notice).hold_id,
    TO: recipientOf,
    STATE: stateOf,
    AT: notice => notice.at,
    ERROR: notice => notice.error,
    RUN: notice => aboutOf(notice).run_id,
  },
  screen: [
    { head: 'NOTICE', value: notice => notice.id },
    { head: 'EVENT', value: notice => notice.event },
    { head: 'ABOUT', spare: true, value: notice => notice.hold_id },
    { head: 'TO', least: 8, value: recipientOf },
    { head: 'STATE', least: 8, value: stateOf },
    { head: 'AT', spare: true, value: (notice, now) => ago(notice.at, now) },
    { head: 'ERROR', least: 8, value: notice => notice.error },
  ],
}

function recipientOf({ channel, person, address }: StoredNotice): string {
  return `${channel} ${person ?? address}`
}

function stateOf({ status, tries, next_at }: StoredNotice): string {
  if (status !== 'due') return status
  return tries > 0 ? `due again ${next_at}` : status
}

/** One message of a test, as `notices test --json` tells of it. */
export interface TestedAddress {
  readonly channel: string
  readonly address: string
  /** `null` if it was taken. */
  readonly error: string | null
}

const LONGEST_MS = 10_000

/** Sends a message that asks nothing, only to the person who runs the command. */
async function testChannel(context: CommandContext, words: readonly string[]): Promise<number> {
  const { env, io, json } = context
  const channel = onlyWord(words, 'notices test CHANNEL')
  await using closing = new AsyncDisposableStack()
  const { notifiers, directory } = await openChannels(context)
  for (const each of notifiers) closing.use(each)
  const notifier = notifiers.find(({ kind }) => kind === channel)
  const known = notifiers.map(({ kind }) => kind)
  if (!notifier) throw projectRefusals.unknownChannel(channel, known)
  const person = actor(env)
  const results = await Promise.all(
    addressesOf(directory, channel, person).map(address => tried(notifier, address, person)),
  )
  io.out(json ? jsonLine(results) : results.map(resultLine).join(''))
  return results.every(({ error }) => error === null) ? 0 : 1
}

async function openChannels({ directory, env }: CommandContext): Promise<OpenedNotices> {
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const secrets = config.notify && (await readChannels(config.notify, env))
  const place = { directory: config.root ?? directory, env }
  const opened = secrets && (await openNotices(config, { ...place, secrets }))
  if (opened === null) throw projectRefusals.noChannels()
  return opened
}

function resultLine({ channel, address, error }: TestedAddress): string {
  return `${visibleLine(`${channel} ${address}: ${error ?? 'taken'}`)}\n`
}

async function tried(notifier: Notifier, address: string, person: string): Promise<TestedAddress> {
  const at = new Date(systemClock.now()).toISOString()
  const id = systemIds.next('notice')
  const notice: Notice = {
    id,
    event: 'test',
    at,
    person,
    hold: null,
    result: null,
    holds: [],
    run: null,
    url: null,
    text: TEST_TEXT,
  }
  try {
    await notifier.send(notice, address, { signal: AbortSignal.timeout(LONGEST_MS), earlier: null })
    return { channel: notifier.kind, address, error: null }
  } catch (thrown) {
    return { channel: notifier.kind, address, error: messageOf(thrown) }
  }
}

/** Programs have addresses of their own; of people, only the one who asks is told. */
function addressesOf(directory: NoticeDirectory, channel: string, person: string): readonly string[] {
  const programs = directory.programs.filter(each => each.channel === channel).map(({ address }) => address)
  if (programs.length > 0) return programs
  const own = directory.people[person]?.addresses as Readonly<Record<string, string>> | undefined
  const address = channel === 'github' ? directory.githubIssue : own?.[channel]
  if (address) return [address]
  throw projectRefusals.noAddress(channel, person)
}

/** Sends what is due now, and ends: for pipelines, in which nothing keeps running. */
async function sendDue(context: CommandContext, words: readonly string[]): Promise<number> {
  const { directory, env, io } = context
  refuseWords(words, 'notices send')
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  let failed = false
  const err = (text: string) => {
    failed = true
    io.err(text)
  }
  const telling = { as: 'holdpoint notices', err, log: null, saysEach: true } as const
  const notices = await openNotifying(config, { directory, env, ...telling })
  if (notices === null) throw projectRefusals.noChannels()
  await using app = await openForReading(context)
  await notices.run(app, { signal: new AbortController().signal, once: true })
  return failed ? 1 : 0
}
