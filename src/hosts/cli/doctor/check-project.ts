/** The project around a directory: settings, policy, trust and git. No program of the project is started. */
import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type ProjectConfig, projectDirectory, readConfig, readProjectPolicy } from '../../project/project.ts'
import { projectRoot } from '../../project/project-root.ts'
import { programLines } from '../../project/started-programs.ts'
import { isTrusted } from '../../project/trust.ts'
import { userConfigFile } from '../../project/user-settings.ts'
import { type Finding, fail, failure, ok, warn } from './finding.ts'

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
    findings: [checkDirectory(directory), config_finding, await checkPolicy(directory), trust],
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

async function checkPolicy(directory: string): Promise<Finding> {
  try {
    const policy = await readProjectPolicy(directory)
    if (policy === null) return ok('policy', 'none: reading is free, and everything else asks')
    const count = Object.keys(policy.tools).length + policy.rules.length
    return ok('policy', `policy.json, ${count} rules, default ${policy.default}`)
  } catch (thrown) {
    return failure('policy', thrown)
  }
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

const TIMEOUT_MS = 5000
/** Settings that belong into a repository, and what does not. */
const SHARED = ['config.json', 'policy.json', 'agents/agent.md']
const PRIVATE = ['holdpoint.db', 'session/pause.json']

export async function checkGit(directory: string): Promise<Finding> {
  const within = projectDirectory(directory)
  if (!existsSync(within)) return ok('git', 'no .holdpoint/ to look at')
  const ignored = await ignoredBy(projectRoot(directory), [...SHARED, ...PRIVATE])
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

/** Those of the files below `.holdpoint/` that git ignores; `null` without a repository or git. */
async function ignoredBy(root: string, files: readonly string[]): Promise<string[] | null> {
  const { spawnSync } = await import('node:child_process')
  const paths = files.map(file => `.holdpoint/${file}`)
  const { status, stdout } = spawnSync('git', ['-c', 'core.fsmonitor=false', 'check-ignore', '--no-index', ...paths], {
    cwd: root,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (status !== 0 && status !== 1) return null
  return stdout.split('\n').map(line => line.slice('.holdpoint/'.length))
}
