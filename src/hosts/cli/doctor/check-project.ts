/** The project around a directory: settings, policy, trust and git. No program of the project is started. */
import { existsSync, statSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { basename, join } from 'node:path'
import { clockJump } from '../../../core/deadlines/clock-jump.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { PLAIN, paintFor } from '../../display/screen.ts'
import { leftoverSecret, MCP_TOKEN, SERVER_TOKEN } from '../../listening/own-secret.ts'
import { processLiveness } from '../../process/process-liveness.ts'
import { systemClock } from '../../process/system-clock.ts'
import { version } from '../../process/version.ts'
import { type ProjectConfig, projectDirectory, readConfig } from '../../project/project.ts'
import { projectRoot } from '../../project/project-root.ts'
import { programLines } from '../../project/started-programs.ts'
import { isTrusted } from '../../project/trust.ts'
import { userConfigFile } from '../../project/user-settings.ts'
import { type Finding, fail, failure, lateFinding, ok, printedWithin, warn } from './finding.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ProjectState {
  /** `null` if it cannot be read. */
  readonly config: ProjectConfig | null
  /** True if the project starts nothing, or is trusted. */
  readonly isTrusted: boolean
  readonly findings: readonly Finding[]
}

export async function checkProject(directory: string, env: Environment): Promise<ProjectState> {
  const settings = await readConfig(directory, env).catch((thrown: unknown) => failure('config', thrown))
  const config = 'check' in settings ? null : settings
  const trust = await checkTrust(directory, config, env)
  const config_finding = 'check' in settings ? settings : ok('config', configText(directory, env))
  return {
    config,
    isTrusted: config !== null && trust.status === 'ok',
    findings: [checkDirectory(directory), config_finding, trust, ...checkSecrets(directory)],
  }
}

function checkDirectory(directory: string): Finding {
  const path = projectDirectory(directory)
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (isDirectory === false)
    return fail('project', `${path} is no directory`, 'Move it away; settings and runs go there.')
  return isDirectory
    ? ok('project', path)
    : warn(
        'project',
        `none here or above ${directory}`,
        'Run `holdpoint init`; a first run makes one without settings.',
      )
}

function configText(directory: string, env: Environment): string {
  const files = [join(projectDirectory(directory), 'config.json'), userConfigFile(env)].filter(file => existsSync(file))
  return files.length === 0 ? 'none: everything is as usual' : files.join(', completed by ')
}

async function checkTrust(directory: string, config: ProjectConfig | null, env: Environment): Promise<Finding> {
  const check = 'trust'
  if (config === null)
    return warn(check, 'not looked at: the configuration cannot be read', 'Correct the configuration.')
  const { programs } = config
  if (programs === null) return ok(check, 'the project starts no programs, so it needs none')
  const lines = programLines(programs).join('; ')
  if (await isTrusted(directory, programs, env)) return ok(check, `trusted to start: ${lines}`)
  const root = projectRoot(directory)
  return warn(check, `${root} has parts that you have not trusted: ${lines}`, 'Read them, then run `holdpoint trust`.')
}

/** Tokens of its user in the directory of older versions: agents work there. */
function checkSecrets(directory: string): readonly Finding[] {
  const leftovers = [SERVER_TOKEN, MCP_TOKEN].flatMap(places => leftoverSecret(places, directory) ?? [])
  if (leftovers.length === 0) return []
  const hint =
    'The next `holdpoint serve` or `holdpoint mcp --http` moves it out. Or delete it: another one is made then.'
  return [warn('secrets', `your token lies below the project, where agents work: ${leftovers.join(', ')}`, hint)]
}

/** Settings that belong into a repository, and what does not. */
const SHARED = ['config.json', 'policy.json', 'agents/agent.md']
const PRIVATE = ['holdpoint.db', 'session/pause.json']

export async function checkGit(directory: string, seconds: number): Promise<Finding> {
  const within = projectDirectory(directory)
  if (!existsSync(within)) return ok('git', 'no .holdpoint/ to look at')
  const ignored = await ignoredBy(projectRoot(directory), [...SHARED, ...PRIVATE], seconds)
  if (ignored === 'late') return lateFinding('git', seconds)
  if (ignored === null) return ok('git', 'no repository here')
  const leaked = PRIVATE.filter(file => !ignored.includes(file))
  const lost = SHARED.filter(file => ignored.includes(file))
  const ignore = join(basename(within), '.gitignore')
  if (leaked.length > 0)
    return warn('git', 'git does not ignore the store and what runs leave behind', `Write a line * into ${ignore}.`)
  if (lost.length > 0)
    return warn(
      'git',
      `git ignores ${lost.join(', ')}, which others need`,
      `Write !${lost.join(', !')} into ${ignore}.`,
    )
  return ok('git', 'ignores the store, and takes settings, policy and agents')
}

/** The files below `.holdpoint/` that git ignores; `null` without a repository or git. */
async function ignoredBy(root: string, files: readonly string[], seconds: number): Promise<string[] | null | 'late'> {
  const paths = files.map(file => `.holdpoint/${file}`)
  const words = ['-c', 'core.fsmonitor=false', 'check-ignore', '--no-index', ...paths]
  const told = await printedWithin('git', words, { cwd: root, seconds })
  if (told === 'late') return told
  // git exits with 1 if none is ignored.
  if (told.exit !== 0 && told.exit !== 1) return null
  return told.stdout.split('\n').map(line => line.slice('.holdpoint/'.length))
}

/** An older Node was refused before this check could run. */
export function checkNode(): Finding {
  return ok('node', `${process.version} on ${platform()} ${arch()}, holdpoint ${version()}`)
}

/** Narrower, and tables are hard to read. */
const NARROW = 60

export function checkTerminal(context: CommandContext): Finding {
  const { io, env } = context
  if (!io.isTerminal || process.stdin.isTTY !== true)
    return ok('terminal', 'none here: nobody is asked, and a pause exits with 10')
  const colours = paintFor(context) === PLAIN ? 'no colours' : 'colours'
  const size = `${process.stdout.columns} columns, ${process.stdout.rows} rows, ${colours}, TERM ${env['TERM'] ?? 'unset'}`
  return io.width() < NARROW
    ? warn('terminal', size, `Make it at least ${NARROW} columns wide, so that tables fit.`)
    : ok('terminal', size)
}

/** `now` is the time of the store, in milliseconds since 1970. A clock that was not set has no finding. */
export function checkOpenings(
  openings: readonly Pick<Hold, 'id' | 'opened_at' | 'opened_on'>[],
  now: number = systemClock.now(),
): Finding[] {
  const { boot } = processLiveness()
  const reading = { now, steady: systemClock.steady(), boot }
  const [jumped] = openings.flatMap(({ id, ...opening }) => {
    const jump = clockJump(opening, reading)
    return jump === 0 ? [] : [{ id, jump }]
  })
  if (jumped === undefined) return []
  const way = jumped.jump > 0 ? 'forward' : 'back'
  return [
    warn(
      'clock set',
      `the clock by which deadlines are judged was set ${way} by ${durationText(Math.round(Math.abs(jumped.jump) / 1_000) * 1_000)} since ${jumped.id} was opened`,
      'Holds are not approved by time until a worker has watched the clock for a minute. All other deadlines count as they are.',
    ),
  ]
}
