/** `holdpoint doctor`: can agents run here? It looks, and changes nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import type { CommandContext } from '../../command/command.ts'
import { secondsIn } from '../../command/flag-values.ts'
import { agentRegistry } from '../../compose/compose.ts'
import { paintFor, type Style } from '../../display/screen.ts'
import { wrapped } from '../../display/wrap.ts'
import { storeUrl } from '../../project/store-url.ts'
import { refuseWords } from '../open-for-reading.ts'
import { checkAgents, checkInstructions, checkKeys, checkModel, checkServers } from './check-agents.ts'
import { checkBox } from './check-box.ts'
import { checkDeadlines, checkNotices, checkPolicy } from './check-policy.ts'
import { checkGit, checkNode, checkProject, checkTerminal, type ProjectState } from './check-project.ts'
import { checkRuns } from './check-runs.ts'
import { checkStore } from './check-store.ts'
import { type Finding, type FindingStatus, TimeLimit, USUAL_SECONDS } from './finding.ts'

/** The findings in a directory for agents. */
export interface DoctorDocument {
  /** `unhealthy` if a check failed. */
  readonly outcome: 'healthy' | 'unhealthy'
  readonly checks: readonly Finding[]
}

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, directory, env } = context
  refuseWords(given.words, 'doctor')
  const limit = new TimeLimit(secondsIn(given, 'Write --timeout 60.') ?? USUAL_SECONDS)
  const agents = agentRegistry({ directory, env })
  const findings = await allFindings(context, { agents, limit })
  const isHealthy = findings.every(({ status }) => status !== 'fail')
  const document: DoctorDocument = { outcome: isHealthy ? 'healthy' : 'unhealthy', checks: findings }
  io.out(json ? jsonLine(document) : asText(context, findings))
  const exit = isHealthy ? 0 : 1
  // The end of this process ends a server that does not answer, and the work of an item that is late.
  if (limit.isLate || !(await isClosed(agents))) process.exit(exit)
  return exit
}

const CLOSING_MS = 2000

async function isClosed(agents: AgentRegistry): Promise<boolean> {
  const over = new AbortController()
  const waited = sleep(CLOSING_MS, false, { signal: over.signal }).catch(() => false)
  return Promise.race([agents[Symbol.asyncDispose]().then(() => true), waited]).finally(() => over.abort())
}

interface Means {
  readonly agents: AgentRegistry
  readonly limit: TimeLimit
}

async function allFindings(context: CommandContext, means: Means): Promise<readonly Finding[]> {
  const { directory, env } = context
  const { limit } = means
  const project = await checkProject(directory, env)
  const [git, ...others] = await Promise.all([
    limit.within('git', () => checkGit(directory, limit.seconds)),
    ...configured(context, project, means),
  ])
  return [checkNode(), checkTerminal(context), ...project.findings, ...git, checkKeys(env), ...others.flat()]
}

/** Without settings it is not known which agent, model and store are meant. */
function configured(
  { directory, env, given }: CommandContext,
  { config, isTrusted }: ProjectState,
  { agents, limit }: Means,
): Promise<readonly Finding[]>[] {
  if (config === null) return [limit.within('policy', () => checkPolicy(directory, null))]
  const scene = { site: { directory, env, config, agents }, isTrusted, isOffline: given.has('offline') }
  const store = storeUrl(given.value('store'), env, config)
  return [
    limit.within('policy', () => checkPolicy(directory, scene)),
    storeAndRuns(store, { directory, env, limit }),
    limit.within('box', () => checkBox({ directory, env, store })),
    limit.within('agents', () => checkAgents(scene)),
    limit.within('instructions', () => checkInstructions(scene)),
    limit.within('deadlines', () => checkDeadlines(scene)),
    limit.within('model', () => checkModel(scene)),
    limit.within('servers', () => checkServers(scene)),
    limit.within('notices', () => checkNotices({ config, env, directory, store })),
  ]
}

/** Runs are looked at in a store that is well: the look would hold up that at the store. */
async function storeAndRuns(
  store: string,
  { directory, env, limit }: Pick<CommandContext, 'directory' | 'env'> & Pick<Means, 'limit'>,
): Promise<readonly Finding[]> {
  const findings = await limit.within('store', () => checkStore(store, directory, limit.seconds))
  if (findings.some(({ status }) => status === 'fail')) return findings
  return [...findings, ...(await limit.within('runs', () => checkRuns(store, directory, env)))]
}

const STATUS_WIDTH = 4
const STYLES: Record<FindingStatus, Style> = { ok: 'green', warn: 'yellow', fail: 'red' }

function asText(context: CommandContext, findings: readonly Finding[]): string {
  const paint = paintFor(context)
  const width = Math.max(...findings.map(({ check }) => check.length))
  const margin = ' '.repeat(STATUS_WIDTH + width + 4)
  const lines = findings.flatMap(({ check, status, message, hint }) => {
    const [first = '', ...more] = broken(context, message, margin)
    const advice = hint === null ? [] : broken(context, hint, margin)
    return [
      `${paint(STYLES[status], status.padEnd(STATUS_WIDTH))}  ${check.padEnd(width)}  ${first}`,
      ...more.map(line => `${margin}${line}`),
      ...advice.map(line => `${margin}${paint('bold', line)}`),
    ]
  })
  return `${lines.join('\n')}\n\n${summary(findings)}\n`
}

/** In a terminal, in lines that fit. */
function broken({ io }: CommandContext, text: string, margin: string): string[] {
  const line = visibleLine(text)
  return io.isTerminal ? wrapped(line, Math.max(io.width() - margin.length, 20)) : [line]
}

function summary(findings: readonly Finding[]): string {
  const count = (wanted: FindingStatus) => findings.filter(({ status }) => status === wanted).length
  const [failures, warnings] = [count('fail'), count('warn')]
  if (failures + warnings === 0) return 'All is well.'
  return `${failures} to mend, ${warnings} to look at.`
}
