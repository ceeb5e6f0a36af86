/** Opens the store of a chat, and in it an earlier session or the profile of a new one. */

import type { Thread } from '../../../core/journal/thread.ts'
import { remarkWarning } from '../../../core/policy/remarks/remark-warning.ts'
import type { Profile, ProfileChanges } from '../../../core/run/profile.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import { changedInstructions, instructionsLines, leftInstructions } from '../../agents/profile/instructions-files.ts'
import { rehearsePolicy } from '../../agents/profile/remarks-on-policy.ts'
import { changedProfile, newProfile, type ProfileDeps, type ProfileRequest } from '../../agents/profile/run-profile.ts'
import { rehearse } from '../../agents/rehearse.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { fullId } from '../../command/full-id.ts'
import { agentRegistry, openApp } from '../../compose/compose.ts'
import { actor } from '../../process/actor.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { isDefaultStore, isStoreThere, refuseMissingStore, storeUrl } from '../../project/store-url.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { sessionRefusals } from '../../refusals/session-refusals.ts'
import { type Begin, LocalConversation } from '../conversation/local-conversation.ts'
import type { Left } from '../slash/deck.ts'
import { AppOnDemand } from './app-on-demand.ts'

export interface OpenSession {
  readonly conversation: LocalConversation
  /** The last `seq` that is not shown again. */
  readonly since: number
  /** Up to this `seq` events are on the screen already; 0 if none are. */
  readonly recalled: number
}

export interface OpenedChat extends OpenSession {
  readonly app: AppOnDemand
  readonly agents: AgentRegistry
  /** Lines for a person who begins a new session. */
  readonly greeting: readonly string[]
}

/** Messages of an earlier session that are shown again. */
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
  const site = { directory, env, config, agents }
  const begun = session === null ? await newChat(site, given) : null
  if (session !== null) refuseMissingStore(store, directory)
  const app = new AppOnDemand(() => {
    if (isDefaultStore(store, config)) makeProjectDirectory(directory)
    const mustExist = session !== null
    return openApp({ store, directory, env, mustExist, messageLimits: config.message_limits }, agents)
  })
  const scene = { app, site, context }
  try {
    if (begun) {
      const told = isStoreThere(store, directory) ? await greeting((await app.open()).holdpoint) : HINTS
      const { profile, greeting: first } = begun
      return { app, agents, greeting: [...first, ...told], ...conversationOf(scene, { profile }, 0) }
    }
    return { app, agents, ...(await goneOnWith(scene, session ?? LAST)) }
  } catch (thrown) {
    await app[Symbol.asyncDispose]()
    throw thrown
  }
}

interface Scene {
  readonly app: AppOnDemand
  readonly site: ProfileDeps
  readonly context: CommandContext
}

/** An earlier session, with the settings that the flags change. @throws RefusedError */
async function goneOnWith(scene: Scene, word: string): Promise<OpenSession & Pick<OpenedChat, 'greeting'>> {
  const { app, site, context } = scene
  const { holdpoint } = await app.open()
  const thread = await holdpoint.thread(await threadNamed(holdpoint, word))
  const before = thread.run?.profile ?? null
  const changes = before && (await wishedChanges(site, context.given, before))
  const view = changes && (await holdpoint.view(thread))
  const wish = view && changes && { run: view, changes, by: actor(context.env), surface: SURFACE }
  const [objection] = wish ? await holdpoint.objections([], wish) : []
  if (objection) throw objection
  if (before && (changes || !thread.run?.termination))
    await rehearse(site.agents, { ...before, ...changes }, { calls: thread.run?.step?.calls.values() })
  const since = await sinceLast(holdpoint, thread.id)
  return { greeting: await changesSince(thread), ...conversationOf(scene, { thread, changes }, since) }
}

async function changesSince({ run }: Thread): Promise<readonly string[]> {
  return run && !run.termination ? (await changedInstructions(run.profile)).map(warningLine) : []
}

function warningLine({ message, hint }: Pick<RunWarning, 'message' | 'hint'>): string {
  return `Warning: ${message} ${hint}`
}

const HINTS: readonly string[] = ['/help lists the commands, Ctrl+D leaves.']

async function greeting(holdpoint: Holdpoint): Promise<readonly string[]> {
  const open = await holdpoint.holds({ status: 'open', limit: MOST_COUNTED })
  const count = `${open.length}${open.length === MOST_COUNTED ? ' or more' : ''}`
  const last = (await holdpoint.runs({ limit: 20 })).find(({ parent_run_id }) => parent_run_id === null)
  return [
    ...HINTS,
    ...(open.length > 0 ? [`${count} wait${open.length === 1 ? 's' : ''} in other sessions: /holds`] : []),
    ...(last ? ['The last session goes on with `holdpoint chat -c last`.'] : []),
  ]
}

const MOST_COUNTED = 50

/**
 * What follows the session that is on the screen. A fork: what it begins with is not shown again. A new one has its settings.
 * @throws RefusedError
 */
export async function nextSession(app: AppOnDemand, after: After, context: CommandContext): Promise<OpenSession> {
  const { directory, env } = context
  const { next, from } = after
  const { holdpoint, agents } = await app.open()
  const site = { directory, env, agents, config: await readConfig(directory, env) }
  const scene = { app, site, context }
  if (next.to === 'new') return conversationOf(scene, { profile: from.profile }, 0)
  const thread = await holdpoint.thread(next.session)
  return { ...conversationOf(scene, { thread, changes: from.changes }, 0), recalled: thread.seq }
}

interface After {
  readonly next: NonNullable<Left>
  readonly from: LocalConversation
}

const SURFACE = 'terminal'

function conversationOf({ app, site, context }: Scene, begin: Begin, since: number): OpenSession {
  const talk = {
    ...{ person: actor(context.env), surface: SURFACE },
    open: async () => (await app.open()).holdpoint,
    otherModel: async (before: Profile, model: string) => {
      const changes = (await changedProfile(site, { ...NO_WISHES, model }, before)) ?? {}
      await rehearse(site.agents, { ...before, ...changes })
      return changes
    },
  }
  return { conversation: new LocalConversation(talk, begin), since, recalled: 0 }
}

async function sinceLast(holdpoint: Holdpoint, threadId: string): Promise<number> {
  const messages = await holdpoint.messages(threadId)
  return (messages.at(-SHOWN_AGAIN)?.seq ?? 1) - 1
}

/** The settings of a new session: each message is a run of its own, and a text does not pause it. */
async function newChat(
  site: ProfileDeps,
  given: Given,
): Promise<{ readonly profile: Profile; readonly greeting: readonly string[] }> {
  const usual = { usualHoldScope: 'call', usualPauseOn: ['approval', 'question'] } as const
  const profile = await newProfile(site, { ...wishesIn(given), ...usual })
  const remarks = await rehearsePolicy(site, profile)
  const warnings = [...remarks.map(remarkWarning), ...(await leftInstructions(profile))]
  return {
    profile: { ...profile, pause_on: profile.pause_on.filter(kind => kind !== 'input') },
    greeting: [...warnings.map(warningLine), ...(await instructionsLines(profile))],
  }
}

/** Only flags change the settings of a session: a look from another directory does not. */
async function wishedChanges(site: ProfileDeps, given: Given, before: Profile): Promise<ProfileChanges | null> {
  if (!SETTINGS.some(name => given.has(name))) return null
  const { project: _, ...changes } = (await changedProfile(site, wishesIn(given), before)) ?? {}
  return changes
}

const NO_WISHES: ProfileRequest = {
  ...{ model: null, agent: null, tools: null, maxSteps: null },
  ...{ policy: null, workdir: null, systemPrompt: null, pauseOn: null },
}

const SETTINGS: readonly string[] = ['agent', 'model', 'tool', 'policy', 'workdir']

function wishesIn(given: Given): ProfileRequest {
  return {
    ...NO_WISHES,
    model: given.value('model'),
    agent: given.value('agent'),
    tools: given.has('tool') ? [...new Set(given.values('tool'))] : null,
    policy: given.value('policy'),
    workdir: given.value('workdir'),
  }
}

const USAGE_HINT = 'Name one session, or none. What you want to say is typed in the chat.'

/** @throws RefusedError if more than one is named. */
function sessionNamed(given: Given): string | null {
  const [word, ...more] = given.words
  const named = [word, given.value('checkpoint'), given.has('continue') ? LAST : undefined].filter(name => name != null)
  if (more.length > 0 || named.length > 1) throw argumentRefusals.usage('chat [SESSION]', USAGE_HINT)
  return named[0] ?? null
}

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
  throw sessionRefusals.noSessionYet()
}
