import { messageOf, RefusedError } from '../../../core/errors.ts'
import type { Notice } from '../../../core/notice/notice.ts'
import { TEST_TEXT } from '../../../core/notice/notice-text.ts'
import type { NoticeDirectory } from '../../../core/notice/recipients.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { Notifier } from '../../../ports/notifier.ts'
import type { CommandContext } from '../../command/command.ts'
import { type OpenedNotices, openNotices, readChannels } from '../../compose/notifiers.ts'
import { actor } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { systemIds } from '../../process/system-ids.ts'
import { readConfig } from '../../project/project.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import { onlyWord } from '../open-for-reading.ts'
import { noChannels } from './send-due.ts'

/** One message of a test, as `notices test --json` tells of it. */
export interface TestedAddress {
  readonly channel: string
  readonly address: string
  /** `null` if it was taken. */
  readonly error: string | null
}

const LONGEST_MS = 10_000

/** Sends a message that asks nothing, only to the person who runs the command. */
export async function testChannel(context: CommandContext, words: readonly string[]): Promise<number> {
  const { env, io, json } = context
  const channel = onlyWord(words, 'notices test CHANNEL')
  await using closing = new AsyncDisposableStack()
  const { notifiers, directory } = await openChannels(context)
  for (const each of notifiers) closing.use(each)
  const notifier = notifiers.find(({ kind }) => kind === channel)
  if (!notifier) throw unknownChannel(channel, notifiers)
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
  if (opened === null) throw noChannels()
  return opened
}

function resultLine({ channel, address, error }: TestedAddress): string {
  return `${visibleLine(`${channel} ${address}: ${error ?? 'taken'}`)}\n`
}

async function tried(notifier: Notifier, address: string, person: string): Promise<TestedAddress> {
  const at = new Date(systemClock.now()).toISOString()
  const id = systemIds.next('notice')
  const notice: Notice = { id, event: 'test', at, person, hold: null, holds: [], url: null, text: TEST_TEXT }
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
  throw new RefusedError('no_address', `There is no ${channel} address for ${person}, who would get the test.`, {
    hint: `Write people.${person}.${channel} into .holdpoint/config.json, or set HOLDPOINT_ACTOR to who you are there.`,
  })
}

function unknownChannel(channel: string, notifiers: readonly Notifier[]): RefusedError {
  return new RefusedError('unknown_channel', `This project has no channel ${JSON.stringify(channel)}.`, {
    hint: `It has ${notifiers.map(({ kind }) => kind).join(', ') || 'none'}; see notify.channels in .holdpoint/config.json.`,
  })
}
