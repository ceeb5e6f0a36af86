/** Starts an agent in the background. */
import { refused } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import { backgroundTerms } from '../../agents/profile/background-profile.ts'
import { newProfile, type ProfileDeps } from '../../agents/profile/run-profile.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { agentRegistry, openApp } from '../../compose/compose.ts'
import { startNeededDaemon } from '../../daemon/needed-daemon.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { isDefaultStore, storeUrl } from '../../project/store-url.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import type { MadeWorktree } from '../../worktree/make-worktree.ts'
import { spawnPlaced } from '../../worktree/spawn-placed.ts'
import { nextText, standingText } from './agent-text.ts'
import { readSpawn } from './read-spawn.ts'
import { starterIn } from './starter.ts'
import { tellRest } from './tell-rest.ts'

export async function spawnAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { directory, env, given, io, json, server } = context
  const wish = await readSpawn(given, words)
  if (server) return (await import('./spawn-there.ts')).spawnThere({ ...context, server }, wish)
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  await using agents = agentRegistry({ directory, env })
  const site: ProfileDeps = { directory, env, config, agents }
  const profile = await newProfile(site, { ...wish, pauseOn: null, usualHoldScope: 'call' })
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
