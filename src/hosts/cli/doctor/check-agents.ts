/** Agents, models and servers, as far as they can be looked at without trust that was not given. */
import type { Profile } from '../../../core/run/profile.ts'
import { modelName } from '../../../core/run/profile.ts'
import { fileWords, INSTRUCTIONS_FILES } from '../../../core/settings/project-instructions.ts'
import type { LoadedAgent } from '../../../ports/agent/agent-source.ts'
import type { Model } from '../../../ports/agent/model.ts'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import { findInstructions } from '../../agents/profile/instructions-files.ts'
import { newProfile, type ProfileDeps } from '../../agents/profile/run-profile.ts'
import { endpointOf, providerKeys } from '../../compose/provider-keys.ts'
import { proxiesIn } from '../../process/use-proxy.ts'
import { isModule, namedAgents } from '../../project/agent-files.ts'
import { type Finding, fail, failure, ok, warn } from './finding.ts'

export interface AgentScene {
  readonly site: ProfileDeps
  readonly isTrusted: boolean
  readonly isOffline: boolean
}

export async function checkAgents({ site, isTrusted }: AgentScene): Promise<Finding[]> {
  const { directory, env, config, agents } = site
  const named = namedAgents({ root: config.root ?? directory, env })
  const mayLoad = named.filter(({ file }) => isTrusted || !isModule(file))
  const faults = await Promise.all(mayLoad.map(({ file }) => faultOf(agents, file)))
  const left = named.length - mayLoad.length
  const names = named.map(({ name }) => name).join(', ')
  const untold = left === 0 ? '' : `; ${left} not looked at for want of trust`
  const all = named.length === 0 ? ok('agents', 'none by name') : ok('agents', `${names}${untold}`)
  return [all, ...faults.filter(fault => fault !== null)]
}

async function faultOf(agents: AgentRegistry, agent_file: string): Promise<Finding | null> {
  return agents.definitionOf({ agent: '', agent_file }).then(
    () => null,
    (thrown: unknown) => failure('agents', thrown),
  )
}

export function checkKeys(env: ProfileDeps['env']): Finding {
  const keys = providerKeys(env)
  const set = keys.flatMap(({ variable }) => variable ?? [])
  if (set.length > 0) return ok('keys', `set: ${set.join(', ')}`)
  const names = keys.filter(({ isRequired }) => isRequired).map(({ variables }) => variables[0])
  return warn(
    'keys',
    'no key of a model provider is set',
    `Set ${names.join(', ')} or another one, or use a scripted model.`,
  )
}

/** The model of a run that names none. */
export async function checkModel(scene: AgentScene): Promise<Finding[]> {
  const { site, isTrusted } = scene
  const named = site.config.agent
  if (!isTrusted && named !== null && !named.endsWith('.md'))
    return [warn('model', 'not looked at: the agent may be a program of the project', 'Run `holdpoint trust` first.')]
  const profile = await newProfile(site, NOTHING_SAID).catch((thrown: unknown) => failure('model', thrown))
  if ('check' in profile) return [profile]
  const name = modelName(profile)
  if (name === null)
    return [warn('model', 'none is chosen', 'Set HOLDPOINT_MODEL, give --model, or write "model" into config.json.')]
  return [await modelFinding({ name, profile }, scene)]
}

/** The files of the project that its agents read as instructions. */
export async function checkInstructions({ site: { config, directory } }: AgentScene): Promise<Finding[]> {
  const names = config.instructions_files ?? INSTRUCTIONS_FILES
  if (names.length === 0) return [ok('instructions', 'no files of the project: `instructions_files` is empty')]
  const { files = [], left = [] } = (await findInstructions(names, directory)) ?? {}
  const hint = 'Correct it, or name other files in `instructions_files` of the configuration.'
  return [
    ok('instructions', files.length > 0 ? `of the project: ${fileWords(files)}` : `no ${names.join(', no ')} here`),
    ...left.map(({ path, why }) => warn('instructions', `${path} is not read: ${why}`, hint)),
  ]
}

const NOTHING_SAID = {
  ...{ model: null, agent: null, tools: null, maxSteps: null },
  ...{ policy: null, workdir: null, systemPrompt: null, pauseOn: null },
}

async function modelFinding(
  { name, profile }: { readonly name: string; readonly profile: Profile },
  { site, isOffline }: AgentScene,
): Promise<Finding> {
  try {
    await site.agents.model(profile)
    const url = profile.model === null ? null : endpointOf(profile.model, site.env)
    if (url === null || isOffline)
      return ok('model', `${name}${url === null ? '' : '; offline, so it was not asked for'}`)
    return await reached(name, url, proxiesIn(site.env) === null ? '' : ', through the proxy of the environment')
  } catch (thrown) {
    return failure('model', thrown)
  }
}

const MODEL_TIMEOUT_MS = 5000

/** Any answer shows that the way is open. No key is sent. */
async function reached(model: string, url: string, way: string): Promise<Finding> {
  const asked = `GET ${url} without a key${way}`
  const began = performance.now()
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(MODEL_TIMEOUT_MS) })
    await answer.body?.cancel()
    const took = Math.round(performance.now() - began)
    return ok('model', `${model}; ${asked} was answered (${answer.status}) within ${took} ms`)
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
    const why = cause instanceof Error ? cause.message || cause.name : String(cause)
    return fail(
      'model',
      `${model}; ${asked} failed: ${why}`,
      'Check the network, the proxy and the address of the provider.',
    )
  }
}

/** At most; a server whose calls may take less has less. */
const SERVER_SECONDS = 10

/** Starts each server, asks for its tools, and stops it again. */
export async function checkServers({ site, isTrusted, isOffline }: AgentScene): Promise<Finding[]> {
  const servers = Object.entries(site.config.mcp_servers ?? {})
  if (servers.length === 0) return [ok('servers', 'no MCP servers are configured')]
  if (!isTrusted)
    return [warn('servers', `not started for want of trust: ${servers.map(([name]) => name).join(', ')}`, TRUST_FIRST)]
  const model = await usualModel(site)
  const checks = servers.map(async ([name, { type, timeout_seconds }]) =>
    isOffline && type === 'http'
      ? ok('servers', `${name}: offline, so it was not asked`)
      : checkServer(site, { name, seconds: Math.min(timeout_seconds, SERVER_SECONDS), model }),
  )
  return Promise.all(checks)
}

interface Checked {
  readonly name: string
  readonly seconds: number
  /** The model of a run that names none; `null` if it cannot be opened, which is a finding of its own. */
  readonly model: Model | null
}

async function usualModel(site: ProfileDeps): Promise<Model | null> {
  try {
    return await site.agents.model(await newProfile(site, NOTHING_SAID))
  } catch {
    return null
  }
}

const TRUST_FIRST = 'Read the configuration, then run `holdpoint trust`.'

async function checkServer({ agents, directory }: ProfileDeps, { name, seconds, model }: Checked): Promise<Finding> {
  const profile = { ...agents.profileOf('default'), configured_in: directory, tools: [`${name}__*`] }
  const { promise: late, resolve: giveUp } = Promise.withResolvers<null>()
  const timer = setTimeout(giveUp, seconds * 1000, null)
  try {
    const loaded = await Promise.race([agents.load(profile), late])
    if (loaded !== null) return startedServer(name, loaded, model)
    return fail('servers', `${name} did not tell its tools within ${seconds} s`, 'Try its command by hand.')
  } catch (thrown) {
    return failure('servers', thrown)
  } finally {
    clearTimeout(timer)
  }
}

/** Also if some of its tools are left out: here, or of what the provider of the model is sent. */
function startedServer(name: string, { tools, leftOut = [] }: LoadedAgent, model: Model | null): Finding {
  const started = `${name}: started, ${countOf(tools.size)}`
  const unfit = model?.unfit?.([...tools.values()]) ?? []
  const faults = [
    ...leftOut.map(({ error }) => error.message),
    ...unfit.map(({ tool, why }) => `${tool} is left out of what ${model?.id} is sent: ${why}.`),
  ]
  if (faults.length === 0) return ok('servers', started)
  return warn('servers', `${started}. ${faults.join(' ')}`, 'Agents run without these tools.')
}

function countOf(tools: number): string {
  return `${tools} ${tools === 1 ? 'tool' : 'tools'}`
}
