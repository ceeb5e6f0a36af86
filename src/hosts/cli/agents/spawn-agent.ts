/** Starts an agent in the background. */

import type { RemoteHoldpoint, RemoteSpawn } from '../../../client/remote-holdpoint.ts'
import { refused } from '../../../core/errors.ts'
import { runOf } from '../../../core/people/agent-actor.ts'
import { remarkWarning } from '../../../core/policy/remarks/remark-warning.ts'
import {
  INTERACTIVE_FAULTS,
  type InteractiveSettings,
  type OnIdle,
} from '../../../core/settings/interactive-settings.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { Starter } from '../../../runtime/face/tasks.ts'
import { refuseUnfitName } from '../../../runtime/fleet/agent-terms.ts'
import { backgroundTerms } from '../../agents/profile/background-profile.ts'
import { rehearsePolicy } from '../../agents/profile/remarks-on-policy.ts'
import { newProfile, type ProfileDeps, type ProfileRequest } from '../../agents/profile/run-profile.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/flag-values.ts'
import type { Given } from '../../command/flags.ts'
import { readBudget } from '../../command/read-budget.ts'
import { agentRegistry, openApp } from '../../compose/compose.ts'
import { startNeededDaemon } from '../../daemon/needed-daemon.ts'
import { textWarning } from '../../outcome/report-style.ts'
import { actor } from '../../process/actor.ts'
import { readText } from '../../process/read-text.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { isDefaultStore, storeUrl } from '../../project/store-url.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import type { MadeWorktree } from '../../worktree/make-worktree.ts'
import { spawnPlaced } from '../../worktree/spawn-placed.ts'
import { openForReading } from '../open-for-reading.ts'
import { nextText, standingText } from './agent-text.ts'
import { tellRest } from './send-to-agent.ts'

export async function spawnAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { directory, env, given, io, json, server } = context
  const wish = await readSpawn(given, words)
  if (server) return spawnThere({ ...context, server }, wish)
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  await using agents = agentRegistry({ directory, env })
  const site: ProfileDeps = { directory, env, config, agents }
  const profile = await newProfile(site, { ...wish, pauseOn: null, usualHoldScope: 'call' })
  for (const remark of await rehearsePolicy(site, profile)) io.err(textWarning(remarkWarning(remark), io))
  const terms = await backgroundTerms(site, profile, wish.staying)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const { message_limits: messageLimits, max_concurrent: maxConcurrent } = config
  await using app = await openApp({ store, directory, env, messageLimits, maxConcurrent }, agents)
  if (!app.capabilities.isShared) throw forgetful(store)
  const { agent, worktree } = await spawnPlaced(app.holdpoint.agents, {
    request: {
      profile: terms.profile,
      ...{ input: wish.prompt, name: wish.name, title: null, timeout_seconds: wish.timeoutSeconds },
      interactive: terms.interactive,
    },
    starter: starterIn(env),
    worktreeBelow: wish.worktree ? (config.root ?? directory) : null,
  })
  await startNeededDaemon(context, app, agent)
  if (wish.wait) return await tellRest(context, app, agent)
  io.out(json ? jsonLine(agent) : toldOf(context, agent, worktree))
  return 0
}

function toldOf({ given }: CommandContext, agent: AgentSummary, worktree: MadeWorktree | null): string {
  const lines = worktree === null ? [] : [`  It works in ${worktree.path}, on branch ${worktree.branch}.\n`]
  const left = worktree?.leavesChanges ? ['  Changes here that are not committed are not in it.\n'] : []
  return [standingText(agent), ...lines, ...left, nextText(agent, placeFlags(given))].join('')
}

function forgetful(store: string) {
  return refused(
    'store_forgets',
    `The store ${store} ends with this process, so no other process could run an agent over it.`,
    'Name a file with --store sqlite:PATH, or leave --store out.',
  )
}

interface SpawnWish extends Omit<ProfileRequest, 'pauseOn'> {
  readonly prompt: string
  readonly name: string | null
  readonly staying: InteractiveSettings
  readonly worktree: boolean
  readonly timeoutSeconds: number | null
  readonly wait: boolean
}

/** @throws RefusedError for what cannot be meant; then nothing was started. */
async function readSpawn(given: Given, words: readonly string[]): Promise<SpawnWish> {
  const tools = given.values('tool')
  const system = given.value('system-prompt-file')
  const name = given.value('name')
  if (name !== null) refuseUnfitName(name)
  return {
    prompt: await promptIn(given, words),
    name,
    staying: stayingIn(given),
    worktree: given.has('worktree'),
    timeoutSeconds: numberIn(given, 'timeout'),
    wait: given.has('wait'),
    agent: given.value('agent'),
    model: given.value('model'),
    tools: tools.length > 0 ? [...new Set(tools)] : null,
    policy: given.value('policy'),
    maxSteps: numberIn(given, 'max-steps'),
    budget: readBudget(given),
    workdir: given.value('workdir'),
    systemPrompt: system === null ? null : await readText(system, 'The system prompt'),
  }
}

async function promptIn(given: Given, words: readonly string[]): Promise<string> {
  const file = given.value('prompt-file') ?? (words.length === 1 && words[0] === '-' ? '-' : null)
  if (given.value('prompt-file') !== null && words.length > 0)
    throw refused('two_prompts', 'A prompt and --prompt-file were given together.', 'Give one of them.')
  const prompt = file === null ? words.join(' ') : await readText(file, 'The prompt')
  if (prompt.trim() !== '') return prompt
  throw refused(
    'no_prompt',
    'An agent in the background needs something to do, and no prompt was given.',
    'Write `holdpoint agents spawn "what to do"`. Nothing was started.',
  )
}

/** Refuses a bad value here, before anything is made: no person would see the process that fails on it. */
function stayingIn(given: Given): InteractiveSettings {
  const idle_timeout = checked('idle_timeout', secondsIn(given.value('idle-timeout')))
  const on_idle = checked('on_idle', given.value('on-idle'))
  return {
    interactive: given.has('interactive') ? true : null,
    idle_timeout: idle_timeout as number | null,
    on_idle: on_idle as OnIdle | null,
  }
}

/** A text that is no number stays as it is, to be refused as it was written. */
function secondsIn(text: string | null): number | string | null {
  return text === null || !/^\d+(\.\d+)?$/.test(text) ? text : Number(text)
}

function checked(setting: 'idle_timeout' | 'on_idle', value: number | string | null): number | string | null {
  const fault = value === null ? null : INTERACTIVE_FAULTS[setting](value)
  if (fault === null) return value
  throw refused('invalid_arguments', `--${setting.replace('_', '-')} ${fault}.`, 'Correct it. Nothing was started.')
}

function numberIn(given: Given, flag: string): number | null {
  const text = given.value(flag)
  if (text === null) return null
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw refused(
    'invalid_arguments',
    `--${flag} ${JSON.stringify(text)} is no whole number from 1.`,
    'Correct it. Nothing was started.',
  )
}

/** The parts of an agent come from the host on which it runs, so these flags work only here. */
const ONLY_HERE = ['model', 'tool', 'policy', 'max-steps', 'budget', 'workdir', 'system-prompt-file']

/** `--server`: the agent runs in the directory of the server, as the server knows it. */
async function spawnThere(
  context: CommandContext & { readonly server: RemoteHoldpoint },
  wish: SpawnWish,
): Promise<number> {
  const { given, io, json, server } = context
  const foreign = ONLY_HERE.find(flag => given.has(flag))
  if (foreign !== undefined) throw onlyHere(foreign)
  const agent = await server.agents.spawn(requestFor(wish))
  if (wish.wait) return await tellRest(context, await openForReading(context), agent)
  io.out(json ? jsonLine(agent) : `${standingText(agent)}${nextText(agent, placeFlags(given))}`)
  return 0
}

function requestFor({ agent, prompt, name, timeoutSeconds, staying, worktree }: SpawnWish): RemoteSpawn {
  const { interactive, idle_timeout, on_idle } = staying
  return {
    input: prompt,
    ...(agent !== null && { agent }),
    ...(name !== null && { name }),
    ...(timeoutSeconds !== null && { timeout: timeoutSeconds }),
    ...(interactive !== null && { interactive }),
    ...(idle_timeout !== null && { idle_timeout }),
    ...(on_idle !== null && { on_idle }),
    ...(worktree && { worktree }),
  }
}

function onlyHere(flag: string) {
  return refused(
    'not_over_server',
    `--${flag} is for an agent that runs here, and a server starts it there. Nothing was started.`,
    'Leave it out, or name an agent of the server with --agent.',
  )
}

/** Within the command of an agent, that agent is the starter: what it starts signs as it does. */
export function starterIn(env: Readonly<Record<string, string | undefined>>): Starter {
  const by = actor(env)
  return { by, surface: 'cli', runId: runOf(by) }
}
