/** Opens what a chat is about: the store, and in it a session that goes on or the profile of a new one. */
import { RefusedError } from '../../../core/errors.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import { newProfile, type ProfileRequest } from '../../agents/profile/run-profile.ts'
import { rehearse, rehearseStart } from '../../agents/rehearse.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { fullId } from '../../command/full-id.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { type App, agentRegistry, openApp } from '../../compose/compose.ts'
import { actor } from '../../process/actor.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { isDefaultStore, refuseMissingStore, storeUrl } from '../../project/store-url.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import { type Begin, LocalConversation } from '../conversation/local-conversation.ts'

export interface OpenSession {
  readonly conversation: LocalConversation
  /** The last `seq` that is not shown again. */
  readonly since: number
  /** Up to this `seq` events are on the screen already; 0 if none are. */
  readonly recalled: number
}

export interface OpenedChat extends OpenSession {
  readonly app: App
  /** What a person should know who begins a new session. */
  readonly greeting: readonly string[]
}

/** Of a session that goes on, so much is shown again. */
const SHOWN_AGAIN = 20

const LAST = 'last'

/** @throws RefusedError; then nothing was begun. */
export async function openChat(context: CommandContext): Promise<OpenedChat> {
  const { directory, env, given } = context
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  const session = sessionNamed(given)
  const agents = agentRegistry({ directory, env })
  const profile = session === null ? await chatProfile({ directory, env, config, agents }, given) : null
  if (session !== null) refuseMissingStore(store, directory)
  else if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const app = await openApp({ store, directory, env, messageLimits: config.message_limits }, agents)
  try {
    if (profile)
      return { app, greeting: await greeting(app.holdpoint), ...(await conversationOf(app, { profile }, context)) }
    const thread = await app.holdpoint.thread(await threadNamed(app.holdpoint, session ?? LAST))
    if (thread.run && !thread.run.termination) await rehearse(agents, thread.run.profile)
    return { app, greeting: [], ...(await conversationOf(app, { thread }, context)) }
  } catch (thrown) {
    await app[Symbol.asyncDispose]()
    throw thrown
  }
}

async function greeting(holdpoint: Holdpoint): Promise<readonly string[]> {
  const open = await holdpoint.holds({ status: 'open', limit: MOST_COUNTED })
  const count = `${open.length}${open.length === MOST_COUNTED ? ' or more' : ''}`
  const last = (await holdpoint.runs({ limit: 20 })).find(({ parent_run_id }) => parent_run_id === null)
  return [
    '/help lists the commands, Ctrl+D leaves.',
    ...(open.length > 0 ? [`${count} wait${open.length === 1 ? 's' : ''} in other sessions: /holds`] : []),
    ...(last ? ['The last session goes on with `holdpoint chat -c last`.'] : []),
  ]
}

const MOST_COUNTED = 50

/** A fork of the session that is on the screen: what it begins with is not shown again. @throws RefusedError */
export async function forkedSession(app: App, sessionId: string, context: CommandContext): Promise<OpenSession> {
  const thread = await app.holdpoint.thread(sessionId)
  const { conversation } = await conversationOf(app, { thread }, context)
  return { conversation, since: 0, recalled: thread.seq }
}

/** How a person comes back, and what waits; empty if nothing was said. */
export async function lastWords({ holdpoint }: App, sessionId: string, { given }: CommandContext): Promise<string> {
  const [run] = await holdpoint.runs({ thread_id: sessionId, limit: 1 })
  if (!run) return ''
  const at = placeFlags(given)
  const open = await holdpoint.holds({ thread_id: sessionId, status: 'open' })
  const waits = open.filter(({ kind }) => kind !== 'input').length
  const wait =
    waits === 0 ? [] : [`${waits === 1 ? '1 waits' : `${waits} wait`}: holdpoint holds --session ${sessionId}${at}`]
  return `${[...wait, `Go on with: holdpoint chat ${sessionId}${at}`].join('\n')}\n`
}

async function conversationOf(app: App, begin: Begin, { env }: CommandContext): Promise<OpenSession> {
  const site = { holdpoint: app.holdpoint, person: actor(env), surface: 'terminal' }
  const since = 'thread' in begin ? await sinceLast(app.holdpoint, begin.thread.id) : 0
  return { conversation: new LocalConversation(site, begin), since, recalled: 0 }
}

async function sinceLast(holdpoint: Holdpoint, threadId: string): Promise<number> {
  const messages = await holdpoint.messages(threadId)
  return (messages.at(-SHOWN_AGAIN)?.seq ?? 1) - 1
}

/** The settings of a new session: each message is a run of its own, and a text does not pause it. */
async function chatProfile(site: Parameters<typeof newProfile>[0], given: Given): Promise<Profile> {
  const request: ProfileRequest = {
    model: given.value('model'),
    agent: given.value('agent'),
    tools: given.has('tool') ? [...new Set(given.values('tool'))] : null,
    maxSteps: null,
    policy: given.value('policy'),
    workdir: given.value('workdir'),
    systemPrompt: null,
    pauseOn: null,
    usualHoldScope: 'call',
    usualPauseOn: ['approval', 'question'],
  }
  const profile = await newProfile(site, request)
  await rehearseStart(site.agents, profile)
  return { ...profile, pause_on: profile.pause_on.filter(kind => kind !== 'input') }
}

/** @throws RefusedError if a session that goes on was given settings, or is named twice. */
function sessionNamed(given: Given): string | null {
  const [word, ...more] = given.words
  const named = [word, given.value('checkpoint'), given.has('continue') ? LAST : undefined].filter(name => name != null)
  if (more.length > 0 || named.length > 1)
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint chat [SESSION]', {
      hint: 'Name one session, or none. What you want to say is typed in the chat.',
    })
  const [session = null] = named
  const setting = SETTINGS.find(name => given.has(name))
  if (session !== null && setting !== undefined)
    throw new RefusedError(
      'invalid_arguments',
      `--${setting} is for a new session: one that goes on keeps its settings.`,
      {
        hint: 'Leave it out, or leave the session out.',
      },
    )
  return session
}

const SETTINGS: readonly string[] = ['agent', 'model', 'tool', 'policy', 'workdir']

/** By the id of a session, a run or a checkpoint, or the beginning of it; `last` is the newest that a person began. */
async function threadNamed(holdpoint: Holdpoint, word: string): Promise<string> {
  if (word === LAST) return lastThread(holdpoint)
  const id = await fullId(holdpoint, word)
  if (id.startsWith('run_')) return (await holdpoint.run(id)).thread_id
  return id.startsWith('cp_') ? (await holdpoint.checkpoint(id)).thread_id : id
}

async function lastThread(holdpoint: Holdpoint): Promise<string> {
  const last = (await holdpoint.runs()).find(({ parent_run_id }) => parent_run_id === null)
  if (last) return last.thread_id
  throw new RefusedError('unknown_session', 'There is no session to go on with yet.', {
    hint: 'Begin one with `holdpoint chat`.',
  })
}
