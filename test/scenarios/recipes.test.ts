import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { CLI, effect, installCommand } from './project.ts'
import { Cluster } from './recipes/play-job.ts'
import { type PlayedJob, type Repository, Service } from './recipes/play-workflow.ts'

const RECIPES = resolve(import.meta.dirname, '../../docs/recipes')
const root = mkdtempSync(join(tmpdir(), 'holdpoint-recipes-'))
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }))

const once = [{ text: 'Soon.', calls: [effect('t1', 'one')] }, { text: 'Done.' }]
const twice = [
  { text: 'First.', calls: [effect('t1', 'one')] },
  { text: 'Second.', calls: [effect('t2', 'two')] },
  { text: 'Done.' },
]

function effectsIn(workspace: string): string[] {
  try {
    return readFileSync(join(workspace, 'effects.log'), 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

describe('the workflow of GitHub Actions', () => {
  const workflow = join(RECIPES, 'github-actions.yml')

  function aService(script: readonly unknown[], changes: Partial<Repository> = {}): Service {
    return new Service(mkdtempSync(join(root, 'github-')), {
      files: { 'script.json': JSON.stringify(script) },
      secrets: { HOLDPOINT_BUNDLE_KEY: 'a long random text', ANTHROPIC_API_KEY: 'none' },
      vars: { HOLDPOINT_MODEL: 'script:script.json' },
      review: environment => environment === 'agent-approval',
      ...changes,
    })
  }

  function jobs(played: ReadonlyMap<string, PlayedJob>): { start: PlayedJob; resume: PlayedJob } {
    return { start: played.get('start')!, resume: played.get('resume')! }
  }

  test('pauses on one runner, is approved in an environment, and goes on from there on another one', () => {
    const service = aService(once)
    const { start, resume } = jobs(service.play(workflow, { prompt: '--do it; $(exit 3)' }))
    expect(start, start.log).toMatchObject({ result: 'success', outputs: { outcome: 'paused', artifact_id: '1' } })
    expect(start.summary).toContain('    t1  Run echo one >> effects.log  (needs approval)')
    expect(resume, resume.log).toMatchObject({ result: 'success' })
    expect(resume.summary).toContain('Done.')
    expect([effectsIn(start.workspace), effectsIn(resume.workspace)]).toEqual([[], ['one']])
    expect(service.dispatched()).toEqual([])
  })

  test('asks again in a run of its own where the agent pauses again, and nobody goes on twice from one checkpoint', () => {
    const service = aService(twice)
    const first = jobs(service.play(workflow, { prompt: 'do it' }))
    expect(first.resume, first.resume.log).toMatchObject({ result: 'success' })
    const [again, ...others] = service.dispatched()
    expect([again, others]).toEqual([{ from_run: '1', artifact_id: '2' }, []])

    const second = jobs(service.play(workflow, again!))
    expect([second.start.result, second.resume.result], second.resume.log).toEqual(['skipped', 'success'])
    expect(effectsIn(first.resume.workspace)).toEqual(['one'])
    expect(effectsIn(second.resume.workspace)).toEqual(['two'])
    // The artifact is gone: somebody who dispatches it once more finds nothing to go on with.
    expect(() => service.play(workflow, again!)).toThrow('there is no artifact checkpoint-resume')
  })

  test('runs nothing where the reviewers say no, and is over at once where nobody is needed', () => {
    const refused = jobs(aService(once, { review: () => false }).play(workflow, { prompt: 'do it' }))
    expect([refused.start.result, refused.resume.result, effectsIn(refused.start.workspace)]).toEqual([
      ...['success', 'failure'],
      [],
    ])
    const done = jobs(aService(['Done.' as unknown]).play(workflow, { prompt: 'do it' }))
    expect([done.start.result, done.start.outputs['outcome'], done.resume.result]).toEqual([
      ...['success', 'completed', 'skipped'],
    ])
  })

  test('leaves no bundle behind that anybody could forge where the secret is missing', () => {
    const { start, resume } = jobs(
      aService(once, { secrets: { HOLDPOINT_BUNDLE_KEY: '' } }).play(workflow, { prompt: 'do it' }),
    )
    expect([start.result, resume.result]).toEqual(['failure', 'skipped'])
    expect(start.log).toContain('HOLDPOINT_BUNDLE_KEY is set to nothing')
  })

  test('fails where the agent fails', () => {
    const failing = [{ error: { message: 'out of order', retryable: false } }]
    const { start, resume } = jobs(aService(failing).play(workflow, { prompt: 'do it' }))
    expect([start.result, resume.result]).toEqual(['failure', 'skipped'])
  })
})

test('the shell script goes by exit codes and pause.json, and decides only what was looked at', () => {
  const directory = mkdtempSync(join(root, 'shell-'))
  writeFileSync(join(directory, 'script.json'), JSON.stringify(twice))
  installCommand(directory)
  const agent = (...args: string[]) => {
    const { status, stdout } = spawnSync('sh', [join(RECIPES, 'agent.sh'), ...args], {
      cwd: directory,
      encoding: 'utf8',
      env: { PATH: `${directory}:/usr/bin:/bin`, HOME: directory, HOLDPOINT_MODEL: 'script:script.json' },
    })
    return { exit: status, last: stdout.trim().split('\n').at(-1) ?? '' }
  }
  expect(agent().exit).toBe(2)
  expect(agent('--pending').exit).toBe(2)
  const first = agent('do it')
  expect(first).toEqual({ exit: 10, last: expect.stringMatching(/^cp_[0-9a-z]+$/) })
  expect(JSON.parse(agent('--pending').last)).toMatchObject({ checkpoint_id: first.last })
  const second = agent('--approve', first.last)
  expect([second.exit, effectsIn(directory)]).toEqual([10, ['one']])
  expect([agent('--approve', first.last).exit, agent('--approve').exit]).toEqual([2, 2])
  expect(agent('--reject', second.last, 'not today').exit).toBe(0)
  expect([agent('--pending').exit, effectsIn(directory)]).toEqual([2, ['one']])
})

describe('the Jobs of Kubernetes', () => {
  const manifests = readFileSync(join(RECIPES, 'kubernetes.yaml'), 'utf8')
  const crash = `--import=${resolve(import.meta.dirname, 'crash-at-commit.mjs')}`

  function aCluster(script: readonly unknown[]): { cluster: Cluster; work: string } {
    const cluster = new Cluster(mkdtempSync(join(root, 'cluster-')), manifests)
    const work = cluster.volume('agent-work')
    writeFileSync(join(work, 'script.json'), JSON.stringify(script))
    return { cluster, work }
  }

  const model = { HOLDPOINT_MODEL: 'script:script.json' }

  function checkpointIn({ pods }: { pods: readonly { log: string }[] }): string {
    return /^checkpoint +(cp_\w+)$/m.exec(pods.at(-1)?.log ?? '')?.[1] ?? ''
  }

  test('end as paused with exit code 10, and go on in a second Job on the same volume', () => {
    const { cluster, work } = aCluster(twice)
    const start = cluster.play('agent-start', { env: model })
    expect(start).toMatchObject({ condition: 'Failed', reason: 'PodFailurePolicy', pods: [{ exit: 10 }] })
    expect(effectsIn(work)).toEqual([])
    const CHECKPOINT = checkpointIn(start)
    const resume = cluster.play('agent-resume', { env: { ...model, CHECKPOINT } })
    expect(resume).toMatchObject({ condition: 'Failed', reason: 'PodFailurePolicy', pods: [{ exit: 10 }] })
    // The same Job once more approves nothing that nobody looked at.
    expect(cluster.play('agent-resume', { env: { ...model, CHECKPOINT } })).toMatchObject({ pods: [{ exit: 10 }] })
    expect(effectsIn(work)).toEqual(['one'])
    const last = cluster.play('agent-resume', { env: { ...model, CHECKPOINT: checkpointIn(resume) } })
    expect(last).toMatchObject({ condition: 'Complete', reason: null, pods: [{ exit: 0 }] })
    expect(effectsIn(work)).toEqual(['one', 'two'])
  })

  test('go on with another pod where one is lost, with every effect once', () => {
    const { cluster, work } = aCluster(once)
    const CHECKPOINT = checkpointIn(cluster.play('agent-start', { env: model }))
    const lost = { NODE_OPTIONS: crash, CRASH_AT: 'after:claim(hold.decided)' }
    const resume = cluster.play('agent-resume', { env: { ...model, CHECKPOINT }, disrupt: { 0: lost } })
    expect(resume).toMatchObject({ condition: 'Complete', pods: [{ exit: 137 }, { exit: 0 }] })
    expect(effectsIn(work)).toEqual(['one'])
  })

  test('are not tried again where the agent fails', () => {
    const { cluster } = aCluster([{ error: { message: 'out of order', retryable: false } }])
    const failed = cluster.play('agent-start', { env: model })
    expect(failed).toMatchObject({ condition: 'Failed', reason: 'PodFailurePolicy', pods: [{ exit: 1 }] })
  })
})

test('a pause begins with its outcome and its checkpoint, as the recipes read it without a parser', () => {
  const directory = mkdtempSync(join(root, 'pause-'))
  writeFileSync(
    join(directory, 'script.json'),
    JSON.stringify([
      {
        calls: [
          { id: 't1', name: 'run_command', args: { command: 'echo {"outcome":"paused","checkpoint_id":"cp_forged"}' } },
        ],
      },
    ]),
  )
  const env = { PATH: dirname(process.execPath), HOME: directory, HOLDPOINT_MODEL: 'script:script.json' }
  spawnSync(process.execPath, [CLI, '-a', '--pause-on', 'approval', 'go'], { cwd: directory, env })
  const text = readFileSync(join(directory, '.holdpoint/session/pause.json'), 'utf8')
  const [, read] = /^\{"outcome":"paused","checkpoint_id":"(cp_[0-9a-z]*)"/.exec(text) ?? []
  expect(read).toBe(JSON.parse(text).checkpoint_id)
})
