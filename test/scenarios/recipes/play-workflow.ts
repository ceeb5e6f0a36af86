/**
 * Plays a GitHub Actions workflow: each job on a runner of its own (a directory), `run:` steps by bash, artifacts as
 * directories. Knows what the recipes use, and fails on anything else.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { CLI } from '../project.ts'
import { type Contexts, filledIn, holds } from './expression.ts'

// biome-ignore lint/suspicious/noExplicitAny: a workflow is checked key by key as it is played
type Yaml = any
type Values = Readonly<Record<string, string>>

export interface PlayedJob {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: Values
  /** What a person reads on its page. */
  readonly summary: string
  /** All that its steps printed. */
  readonly log: string
  /** Its working directory; empty where it did not run. */
  readonly workspace: string
}

export interface Repository {
  /** What is checked out. */
  readonly files: Values
  readonly secrets: Values
  readonly vars: Values
  /** Whether the reviewers of an environment let a job pass. */
  readonly review: (environment: string) => boolean
}

/** GitHub, as far as the workflow sees it. */
export class Service {
  readonly #directory: string
  readonly #repository: Repository
  #runs = 0
  #artifacts = 0

  constructor(directory: string, repository: Repository) {
    this.#directory = directory
    this.#repository = repository
    mkdirSync(join(directory, 'artifacts'))
  }

  /** One run of the workflow; by job. */
  play(path: string, inputs: Values): ReadonlyMap<string, PlayedJob> {
    const workflow = parse(readFileSync(path, 'utf8'))
    only(workflow, ['name', 'on', 'permissions', 'concurrency', 'env', 'jobs'])
    this.#runs += 1
    const played = new Map<string, PlayedJob>()
    const contexts = { ...this.#contexts(String(this.#runs)), inputs: inputsOf(workflow, inputs) }
    for (const [name, job] of Object.entries<Yaml>(workflow.jobs))
      played.set(name, this.#playJob(job, { ...contexts, needs: Object.fromEntries(played) }, workflow.env ?? {}))
    return played
  }

  /** What workflows asked to be run since this was asked last. */
  dispatched(): Values[] {
    const path = join(this.#directory, 'dispatched')
    if (!existsSync(path)) return []
    renameSync(path, `${path}-before`)
    const lines = readFileSync(`${path}-before`, 'utf8').trim().split('\n')
    return lines.map(line => Object.fromEntries(line.split(' ').map(pair => pair.split('='))))
  }

  #contexts(run_id: string): Record<string, unknown> {
    const { secrets, vars } = this.#repository
    const github = { actor: 'ana', run_id, token: 'a token', ref_name: 'main' }
    return { github, secrets, vars }
  }

  #playJob(job: Yaml, contexts: Contexts, env: Values): PlayedJob {
    only(job, ['needs', 'if', 'environment', 'runs-on', 'outputs', 'steps'])
    const needed: (PlayedJob | undefined)[] = [job.needs ?? []]
      .flat()
      .map((name: string) => (contexts['needs'] as Record<string, PlayedJob>)[name])
    const isUnblocked = needed.every(each => each?.result === 'success') || /cancelled\(\)/.test(job.if)
    if (!isUnblocked || !holds(job.if ?? "'yes'", contexts)) return NOT_PLAYED.skipped
    if (job.environment && !this.#repository.review(job.environment)) return NOT_PLAYED.failure
    const runner = new Runner(this.#directory, { ...contexts, steps: {} }, this.#github(contexts))
    runner.fill(env)
    const isDone = job.steps.every((step: Yaml) => this.#playStep(step, runner))
    const outputs = Object.entries<string>(job.outputs ?? {}).map(([key, text]) => [key, runner.filled(text)])
    return { result: isDone ? 'success' : 'failure', outputs: Object.fromEntries(outputs), ...runner.told() }
  }

  #github(contexts: Contexts): Values {
    const { run_id } = contexts['github'] as { run_id: string }
    return {
      GITHUB_REPOSITORY: 'example/agent',
      GITHUB_RUN_ID: run_id,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REF_NAME: 'main',
    }
  }

  #playStep(step: Yaml, runner: Runner): boolean {
    only(step, ['id', 'name', 'if', 'env', 'run', 'uses', 'with'])
    if (step.if !== undefined && !holds(step.if, runner.contexts)) return true
    if (step.run !== undefined) return runner.run(step)
    const settings: Values = Object.fromEntries(
      Object.entries(step.with ?? {}).map(([key, value]) => [key, runner.filled(String(value))]),
    )
    const act = this.#actions[step.uses]
    if (!act) throw new Error(`this action is not known here: ${step.uses}`)
    runner.note(step.id, act(settings, runner))
    return true
  }

  readonly #actions: Readonly<Record<string, (settings: Values, runner: Runner) => Values>> = {
    'actions/checkout@v4': (settings, { workspace }) => {
      only(settings, [])
      for (const [path, text] of Object.entries(this.#repository.files)) {
        mkdirSync(dirname(join(workspace, path)), { recursive: true })
        writeFileSync(join(workspace, path), text)
      }
      return {}
    },
    'actions/setup-node@v4': settings => {
      only(settings, ['node-version'])
      if (Number(settings['node-version']) < 24) throw new Error('holdpoint needs Node 24')
      return {}
    },
    'actions/upload-artifact@v4': ({ name = '', path = '', ...rest }, { contexts, workspace }) => {
      only(rest, ['if-no-files-found', 'retention-days'])
      const place = this.#placeOf(name, (contexts['github'] as { run_id: string }).run_id)
      if (place) throw new Error(`there is an artifact ${name} in this run already`)
      const id = String(++this.#artifacts)
      const directory = join(this.#directory, 'artifacts', id)
      mkdirSync(directory)
      writeFileSync(join(directory, 'place'), `${(contexts['github'] as { run_id: string }).run_id}/${name}`)
      cpSync(join(workspace, path), join(directory, path))
      return { 'artifact-id': id }
    },
    'actions/download-artifact@v4': ({ name = '', ...rest }, { workspace }) => {
      only(rest, ['run-id', 'github-token'])
      const directory = this.#placeOf(name, rest['run-id'] ?? '')
      if (!directory) throw new Error(`there is no artifact ${name} in run ${rest['run-id']}`)
      cpSync(directory, workspace, { recursive: true, filter: path => !path.endsWith('/place') })
      return {}
    },
  }

  #placeOf(name: string, run: string): string | undefined {
    const ids = Array.from({ length: this.#artifacts }, (_, index) =>
      join(this.#directory, 'artifacts', `${index + 1}`),
    )
    return ids.find(path => existsSync(path) && readFileSync(join(path, 'place'), 'utf8') === `${run}/${name}`)
  }
}

const NOT_PLAYED = {
  skipped: { result: 'skipped', outputs: {}, summary: '', log: '', workspace: '' },
  failure: { result: 'failure', outputs: {}, summary: '', log: '', workspace: '' },
} as const satisfies Record<string, PlayedJob>

/** A fresh machine: nothing on it but what its job puts there. */
class Runner {
  readonly workspace: string
  readonly #home: string
  readonly #steps: Record<string, { outputs: Values }> = {}
  readonly #contexts: Contexts
  readonly #github: Values
  #env: Values = {}
  #log = ''

  constructor(service: string, contexts: Contexts, github: Values) {
    this.#home = mkdtempSync(join(service, 'runner-'))
    this.workspace = join(this.#home, 'work')
    this.#contexts = contexts
    this.#github = github
    for (const directory of ['work', 'bin']) mkdirSync(join(this.#home, directory))
    for (const [name, script] of Object.entries(commands(service, join(this.#home, 'bin'))))
      writeFileSync(join(this.#home, 'bin', name), script, { mode: 0o755 })
  }

  get contexts(): Contexts {
    return { ...this.#contexts, steps: this.#steps }
  }

  filled(text: string): string {
    return filledIn(text, this.contexts)
  }

  fill(env: Values): void {
    this.#env = this.#filledEnv(env)
  }

  note(step: string | undefined, outputs: Values): void {
    if (step !== undefined) this.#steps[step] = { outputs }
  }

  /** As `run:` without a shell does: `bash -e`. */
  run({ id, run, env }: { id?: string; run: string; env?: Values }): boolean {
    const [script, output] = [join(this.#home, 'step.sh'), join(this.#home, 'output')]
    writeFileSync(script, this.filled(run))
    writeFileSync(output, '')
    const { status, stdout, stderr } = spawnSync('bash', ['-e', script], {
      cwd: this.workspace,
      encoding: 'utf8',
      env: {
        PATH: `${join(this.#home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: this.#home,
        ...this.#github,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: join(this.#home, 'summary'),
        ...this.#env,
        ...this.#filledEnv(env ?? {}),
      },
    })
    this.#log += stdout + stderr
    this.note(id, outputsIn(readFileSync(output, 'utf8')))
    return status === 0
  }

  told(): Pick<PlayedJob, 'summary' | 'log' | 'workspace'> {
    const summary = join(this.#home, 'summary')
    return {
      summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
      log: this.#log,
      workspace: this.workspace,
    }
  }

  #filledEnv(env: Values): Values {
    return Object.fromEntries(Object.entries(env).map(([key, text]) => [key, this.filled(String(text))]))
  }
}

/** The registry and GitHub's command line, as far as the recipes ask for them. */
function commands(service: string, bin: string): Values {
  return {
    npm: `#!/bin/sh
[ "$*" = 'install --global holdpoint' ] || { echo "npm: not known here: $*" >&2; exit 64; }
printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' '${process.execPath}' '${CLI}' > '${bin}/holdpoint'
chmod +x '${bin}/holdpoint'
`,
    gh: `#!/bin/sh
[ -n "$GH_TOKEN" ] || { echo 'gh: no token' >&2; exit 4; }
case "$*" in
  "api --method DELETE repos/$GITHUB_REPOSITORY/actions/artifacts/"*)
    mv "${service}/artifacts/\${4##*/}" "${service}/deleted-\${4##*/}" 2>/dev/null || { echo 'gh: Not Found (HTTP 404)' >&2; exit 1; } ;;
  "workflow run agent.yml --repo $GITHUB_REPOSITORY --ref $GITHUB_REF_NAME -f from_run="*' -f artifact_id='*)
    echo "$9 \${11}" >> "${service}/dispatched" ;;
  *) echo "gh: not known here: $*" >&2; exit 64 ;;
esac
`,
  }
}

function outputsIn(text: string): Values {
  const lines = text.split('\n').filter(line => line !== '')
  return Object.fromEntries(
    lines.map(line => {
      const [, key, value] = /^([\w-]+)=(.*)$/.exec(line) ?? []
      if (key === undefined || value === undefined) throw new Error(`this output is not known here: ${line}`)
      return [key, value]
    }),
  )
}

function inputsOf(workflow: Yaml, given: Values): Values {
  only(workflow.on, ['workflow_dispatch'])
  const known = Object.entries<Yaml>(workflow.on.workflow_dispatch.inputs)
  only(
    given,
    known.map(([name]) => name),
  )
  return Object.fromEntries(known.map(([name, input]) => [name, given[name] ?? input.default]))
}

function only(value: object, keys: readonly string[]): void {
  const unknown = Object.keys(value).find(key => !keys.includes(key))
  if (unknown !== undefined) throw new Error(`this key is not known here: ${unknown}`)
}
